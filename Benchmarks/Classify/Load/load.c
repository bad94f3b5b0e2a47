// Posts photos over HTTP/1.1 and measures the answers: one thread, epoll, persistent connections.
//
//   load PORT PATH closed CLIENTS SECONDS WARM_UP [--form FIELD] PHOTO…
//   load PORT PATH open   RATE    SECONDS WARM_UP [--form FIELD] PHOTO…
//
// closed: each client sends its next photo when the last is answered. open: photos come at random times (Poisson, the
// same in every run), whatever the answers do. Each has its own connection until it is answered, and latency counts
// from the time when the photo was due. WARM_UP seconds come first and do not count. Prints one JSON object.
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <netinet/tcp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum { MAX_CONNECTIONS = 1024, HEAD_BYTES = 16384 };

typedef struct { char *bytes; size_t length; } Request;

typedef struct {
    int fd, busy;
    const Request *request;
    size_t sent;
    double due;
    char head[HEAD_BYTES];   // of the answer, until its end is found
    size_t received;
    int status, closes;      // 0 until the head is read
    size_t body_left;
} Connection;

typedef struct { double *values; size_t count, capacity; } Samples;

static Connection *connections;
static int connection_count, poller, is_open, port;
static Request *requests;
static int request_count, next_request;
static double measure_from, measure_until;
static Samples answered, refused;
static long other_answers, failures, unfinished;
static int idle[MAX_CONNECTIONS], idle_count;

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

static void die(const char *what) {
    perror(what);
    exit(1);
}

static void note(Samples *samples, double value) {
    if (samples->count == samples->capacity) {
        samples->capacity = samples->capacity ? samples->capacity * 2 : 4096;
        samples->values = realloc(samples->values, samples->capacity * sizeof(double));
        if (!samples->values) die("realloc");
    }
    samples->values[samples->count++] = value;
}

static int ascending(const void *left, const void *right) {
    double a = *(const double *)left, b = *(const double *)right;
    return (a > b) - (a < b);
}

// Nearest rank, in milliseconds.
static double percentile(Samples *samples, double percent) {
    if (!samples->count) return 0;
    size_t rank = (size_t)ceil(percent / 100 * (double)samples->count);
    return samples->values[rank < 1 ? 0 : rank - 1] * 1000;
}

static Request read_request(const char *path, const char *field, const char *file) {
    FILE *stream = fopen(file, "rb");
    if (!stream) die(file);
    fseek(stream, 0, SEEK_END);
    size_t photo = (size_t)ftell(stream);
    rewind(stream);
    char before[256] = "", after[64] = "", type[128] = "image/jpeg";
    if (field) {
        snprintf(before, sizeof before,
                 "--bound\r\nContent-Disposition: form-data; name=\"%s\"; filename=\"photo.jpg\"\r\n"
                 "Content-Type: image/jpeg\r\n\r\n", field);
        strcpy(after, "\r\n--bound--\r\n");
        strcpy(type, "multipart/form-data; boundary=bound");
    }
    char head[1024];
    size_t length = strlen(before) + photo + strlen(after);
    int head_length = snprintf(head, sizeof head,
        "POST %s HTTP/1.1\r\nHost: 127.0.0.1:%d\r\nContent-Type: %s\r\nContent-Length: %zu\r\n\r\n%s",
        path, port, type, length, before);
    Request request = { malloc((size_t)head_length + photo + strlen(after)), 0 };
    if (!request.bytes) die("malloc");
    memcpy(request.bytes, head, (size_t)head_length);
    if (fread(request.bytes + head_length, 1, photo, stream) != photo) die(file);
    fclose(stream);
    memcpy(request.bytes + (size_t)head_length + photo, after, strlen(after));
    request.length = (size_t)head_length + photo + strlen(after);
    return request;
}

static void connect_to_server(Connection *connection) {
    connection->fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    struct sockaddr_in address = { .sin_family = AF_INET, .sin_port = htons((uint16_t)port) };
    inet_pton(AF_INET, "127.0.0.1", &address.sin_addr);
    if (connect(connection->fd, (struct sockaddr *)&address, sizeof address) < 0) die("connect");
    int on = 1;
    setsockopt(connection->fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    fcntl(connection->fd, F_SETFL, O_NONBLOCK);
    struct epoll_event event = { .events = EPOLLIN | EPOLLOUT | EPOLLET, .data.ptr = connection };
    if (epoll_ctl(poller, EPOLL_CTL_ADD, connection->fd, &event) < 0) die("epoll_ctl");
}

static void write_more(Connection *connection);

static void begin(Connection *connection, double due) {
    connection->busy = 1;
    connection->request = &requests[next_request++ % request_count];
    connection->sent = connection->received = connection->body_left = 0;
    connection->status = connection->closes = 0;
    connection->due = due;
    write_more(connection);
}

static void finish(Connection *connection, int is_failure) {
    double time = now();
    // With clients, the answers within the measured time count, so that the two ends compensate each other. With photos
    // at given times, those due within the time count, however late the answer is.
    double counted = is_open ? connection->due : time;
    if (counted >= measure_from && counted < measure_until) {
        if (is_failure) failures++;
        else if (connection->status == 503 || connection->status == 429) note(&refused, time - connection->due);
        else if (connection->status != 200) other_answers++;
        else note(&answered, time - connection->due);
    }
    connection->busy = 0;
    if (is_failure || connection->closes) {
        close(connection->fd);
        connect_to_server(connection);
    }
    if (is_open) idle[idle_count++] = (int)(connection - connections);
    else if (time < measure_until) begin(connection, time);
}

static void write_more(Connection *connection) {
    const Request *request = connection->request;
    while (connection->busy && connection->sent < request->length) {
        ssize_t count = send(connection->fd, request->bytes + connection->sent, request->length - connection->sent,
                             MSG_NOSIGNAL);
        if (count < 0) {
            // The server may refuse and close before all is sent. Its answer is still read.
            if (errno != EAGAIN && errno != EPIPE && errno != ECONNRESET) die("send");
            return;
        }
        connection->sent += (size_t)count;
    }
}

static void read_head(Connection *connection) {
    connection->head[connection->received] = 0;
    char *end = strstr(connection->head, "\r\n\r\n");
    if (!end) return;
    connection->status = atoi(connection->head + 9);
    char *length = strcasestr(connection->head, "\r\ncontent-length:");
    if (!length || length > end) {
        fprintf(stderr, "an answer without Content-Length: %.80s\n", connection->head);
        exit(1);
    }
    char *close_field = strcasestr(connection->head, "\r\nconnection: close");
    connection->closes = close_field && close_field < end;
    size_t body = (size_t)atol(length + 17);
    size_t here = connection->received - (size_t)(end + 4 - connection->head);
    connection->body_left = body > here ? body - here : 0;
}

static void read_more(Connection *connection) {
    static char waste[1 << 16];
    while (connection->busy) {
        int in_head = connection->status == 0;
        ssize_t count = in_head
            ? recv(connection->fd, connection->head + connection->received, HEAD_BYTES - 1 - connection->received, 0)
            : recv(connection->fd, waste, sizeof waste, 0);
        if (count < 0 && errno == EAGAIN) return;
        if (count <= 0) {
            finish(connection, 1);
            return;
        }
        if (in_head) {
            connection->received += (size_t)count;
            read_head(connection);
            if (connection->status == 0 && connection->received == HEAD_BYTES - 1) die("head");
        } else {
            connection->body_left -= (size_t)count < connection->body_left ? (size_t)count : connection->body_left;
        }
        if (connection->status && connection->body_left == 0) {
            finish(connection, 0);
            return;
        }
    }
}

static uint64_t random_state = 88172645463325252ULL;

// Seconds to the next photo: exponential with this rate (xorshift64).
static double interval(double rate) {
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    random_state ^= random_state << 17;
    double uniform = (double)(random_state >> 11) * 0x1p-53;
    return -log1p(-uniform) / rate;
}

static void run(double rate) {
    double due = now();
    struct epoll_event events[256];
    for (;;) {
        double time = now();
        if (time >= measure_until + (is_open ? 5 : 0)) break;
        if (is_open && time >= measure_until && idle_count == connection_count) break;
        double wait = 0.1;
        if (is_open) {
            while (due <= time && due < measure_until) {
                if (!idle_count && connection_count < MAX_CONNECTIONS) {
                    connect_to_server(&connections[connection_count]);
                    idle[idle_count++] = connection_count++;
                }
                if (!idle_count) break;
                begin(&connections[idle[--idle_count]], due);
                due += interval(rate);
            }
            if (due < measure_until) wait = due > time ? due - time : 0;
        }
        struct timespec timeout = { (time_t)wait, (long)((wait - floor(wait)) * 1e9) };
        int count = epoll_pwait2(poller, events, 256, &timeout, NULL);
        if (count < 0 && errno != EINTR) die("epoll_pwait2");
        for (int index = 0; index < count; index++) {
            Connection *connection = events[index].data.ptr;
            if (events[index].events & EPOLLOUT) write_more(connection);
            if (events[index].events & (EPOLLIN | EPOLLHUP | EPOLLERR)) {
                if (connection->busy) {
                    read_more(connection);
                } else {
                    // The server closed a persistent connection.
                    char byte;
                    if (recv(connection->fd, &byte, 1, MSG_PEEK) <= 0 && errno != EAGAIN) {
                        close(connection->fd);
                        connect_to_server(connection);
                    }
                }
            }
        }
    }
    for (int index = 0; index < connection_count; index++)
        if (is_open && connections[index].busy && connections[index].due >= measure_from) unfinished++;
}

int main(int count, char **arguments) {
    if (count < 8) {
        fprintf(stderr, "load PORT PATH closed|open CLIENTS|RATE SECONDS WARM_UP [--form FIELD] PHOTO…\n");
        return 2;
    }
    signal(SIGPIPE, SIG_IGN);
    // If permitted, the measuring thread gets a higher priority than the measured ones.
    setpriority(PRIO_PROCESS, 0, -10);
    port = atoi(arguments[1]);
    is_open = strcmp(arguments[3], "open") == 0;
    double amount = atof(arguments[4]), seconds = atof(arguments[5]), warm_up = atof(arguments[6]);
    int first = 7;
    const char *field = NULL;
    if (strcmp(arguments[first], "--form") == 0) {
        field = arguments[first + 1];
        first += 2;
    }
    request_count = count - first;
    requests = calloc((size_t)request_count, sizeof(Request));
    connections = calloc(MAX_CONNECTIONS, sizeof(Connection));
    if (!requests || !connections || request_count < 1) die("photos");
    for (int index = 0; index < request_count; index++)
        requests[index] = read_request(arguments[2], field, arguments[first + index]);
    poller = epoll_create1(EPOLL_CLOEXEC);

    measure_from = now() + warm_up;
    measure_until = measure_from + seconds;
    connection_count = is_open ? 8 : (int)amount;
    if (connection_count < 1 || connection_count > MAX_CONNECTIONS) die("clients");
    for (int index = 0; index < connection_count; index++) {
        connect_to_server(&connections[index]);
        if (is_open) idle[idle_count++] = index;
    }
    if (!is_open)
        for (int index = 0; index < connection_count; index++) begin(&connections[index], now());
    run(amount);

    qsort(answered.values, answered.count, sizeof(double), ascending);
    qsort(refused.values, refused.count, sizeof(double), ascending);
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    double cpu = (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec)
        + (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) * 1e-6;
    printf("{\"rate\": %.2f, \"answered\": %zu, \"refused\": %zu, \"other\": %ld, \"failed\": %ld, \"unfinished\": %ld, "
           "\"p50_ms\": %.3f, \"p90_ms\": %.3f, \"p99_ms\": %.3f, \"max_ms\": %.3f, "
           "\"refused_p50_ms\": %.3f, \"refused_p99_ms\": %.3f, \"refused_max_ms\": %.3f, \"generator_cpu_s\": %.3f, "
           "\"spread_ms\": [",
           (double)answered.count / seconds, answered.count, refused.count, other_answers, failures, unfinished,
           percentile(&answered, 50), percentile(&answered, 90), percentile(&answered, 99),
           percentile(&answered, 100), percentile(&refused, 50), percentile(&refused, 99), percentile(&refused, 100),
           cpu);
    // The median of each hundredth of the answers, for simulating a server.
    for (int part = 0; part < 100; part++) printf("%s%.3f", part ? ", " : "", percentile(&answered, part + 0.5));
    printf("]}\n");
    return 0;
}
