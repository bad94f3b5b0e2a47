# Builds the service, then copies only what it needs into a slim image. Works on amd64 and arm64.
#   docker build --tag menagerie .
#   docker run --publish 8080:8080 --volume menagerie:/data menagerie
# The first start prints a key, once; with --env MENAGERIE_SECURITY_OPEN=true none is made and everybody gets in.

# By digest, so that a tag that moves changes nothing here; Deploy/README.md says how they are renewed. A mirror's are
# named by --build-arg.
ARG BUILD_IMAGE=swift:6.2-bookworm@sha256:da5a812247285bddb8cf3a242f882a3affa156f34deb16df1b3267efe7129aff
ARG RUN_IMAGE=swift:6.2-bookworm-slim@sha256:646cab912c9a3340779cb5ee77f7b7c5a3dcdd56a46948de6ded55dffe0153bd

FROM ${BUILD_IMAGE} AS build
WORKDIR /menagerie
COPY Scripts Scripts
RUN Scripts/setup
COPY Package.swift ./
COPY Sources Sources
COPY Tests Tests
COPY Benchmarks Benchmarks
RUN swift build --configuration release --product menagerie
COPY LICENSE CHANGELOG.md ./
COPY Config Config
COPY Models Models
COPY Public Public
RUN Scripts/install /opt/menagerie

FROM ${RUN_IMAGE}
RUN apt-get update \
    && apt-get install --yes --no-install-recommends \
        curl libavcodec59 libavformat59 libavutil57 libmosquitto1 libpq5 libqrencode4 libsqlite3-0 libssl3 libswresample4 libswscale6 \
        libturbojpeg0 libvips42 tini zlib1g \
    && rm -rf /var/lib/apt/lists/* \
    && useradd --system --uid 10001 --home-dir /data --create-home --shell /usr/sbin/nologin menagerie
COPY --from=build /opt/menagerie /opt/menagerie
ENV MENAGERIE_HTTP_HOST=0.0.0.0 \
    MENAGERIE_HTTP_PORT=8080 \
    MENAGERIE_HISTORY_DATA_DIRECTORY=/data \
    MENAGERIE_SECURITY_CREATE_KEY=true
USER menagerie
WORKDIR /data
VOLUME /data
EXPOSE 8080
HEALTHCHECK --interval=10s --timeout=3s --start-period=10s \
    CMD curl --fail --silent --show-error --output /dev/null http://127.0.0.1:8080/readyz
STOPSIGNAL SIGTERM
ENTRYPOINT ["tini", "--", "/opt/menagerie/bin/menagerie"]
CMD ["serve"]
