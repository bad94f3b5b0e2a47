# Builds the Debian package and installs it in a slim image. Works on amd64 and arm64.
#   docker build --tag menagerie .
#   docker run --publish 8080:8080 --volume menagerie:/data menagerie
# The first start prints a key, once; with --env MENAGERIE_SECURITY_OPEN=true none is made and everybody gets in.

# By digest, so that a tag that moves changes nothing here; Deploy/README.md says how they are renewed. A mirror's are
# named by --build-arg.
ARG BUILD_IMAGE=swift:6.2-bookworm@sha256:da5a812247285bddb8cf3a242f882a3affa156f34deb16df1b3267efe7129aff
ARG RUN_IMAGE=debian:bookworm-slim@sha256:abd67ffcfa541b485a3dff59865ab629aa048a6c613e639d36e7456b0b229241

FROM ${BUILD_IMAGE} AS build
WORKDIR /menagerie
COPY Scripts Scripts
RUN Scripts/setup patchelf dpkg-dev xz-utils
COPY Package.swift ./
COPY Sources Sources
COPY Tests Tests
COPY Benchmarks Benchmarks
RUN swift build --configuration release --product menagerie
COPY CHANGELOG.md LICENSE ./
COPY Config Config
COPY Deploy Deploy
COPY Models Models
COPY Public Public
RUN Scripts/package deb

FROM scratch AS packages
COPY --from=build /menagerie/.build/packages /

# Deploy/package/image builds this stage alone, from packages that are there.
FROM ${RUN_IMAGE}
RUN --mount=type=bind,from=packages,target=/packages \
    useradd --system --uid 10001 --home-dir /data --create-home --shell /usr/sbin/nologin menagerie \
    && apt-get update \
    && apt-get install --yes --no-install-recommends curl tini /packages/*.deb \
    && rm -rf /var/lib/apt/lists/*
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
ENTRYPOINT ["tini", "--", "menagerie"]
CMD ["serve"]
