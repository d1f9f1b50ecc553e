/* The viewer's server: who may ask (token, Host, Origin), and how answers are sent. */
#include "view/server_internal.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

/* ---- answers ---- */

static const char *status_text(int status) {
    switch (status) {
    case 200:
        return "OK";
    case 400:
        return "Bad Request";
    case 403:
        return "Forbidden";
    case 404:
        return "Not Found";
    case 405:
        return "Method Not Allowed";
    default:
        return "Error";
    }
}

/* The page's own style and script and nothing else, from nowhere else. */
static void policy(const char *nonce, char *to, size_t capacity) {
    if (nonce[0])
        snprintf(to, capacity,
                 "default-src 'none'; script-src 'nonce-%s'; style-src 'nonce-%s'; img-src data: "
                 "blob:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors "
                 "'none'",
                 nonce, nonce);
    else
        snprintf(to, capacity, "default-src 'none'; frame-ancestors 'none'");
}

static void send_answer(struct mg_connection *connection, int status, const char *type,
                        const char *nonce, const char *bytes, size_t size) {
    char allowed[320];
    policy(nonce, allowed, sizeof allowed);
    mg_printf(connection,
              "HTTP/1.1 %d %s\r\nContent-Type: %s\r\nContent-Length: %zu\r\n"
              "Cache-Control: no-store\r\nX-Content-Type-Options: nosniff\r\n"
              "Referrer-Policy: no-referrer\r\nCross-Origin-Resource-Policy: same-origin\r\n"
              "Cross-Origin-Opener-Policy: same-origin\r\nX-Frame-Options: DENY\r\n"
              "Content-Security-Policy: %s\r\nConnection: %s\r\n\r\n",
              status, status_text(status), type, size, allowed,
              status == 200 ? "keep-alive" : "close");
    /* A peer that has gone away is no failure of ours. */
    for (size_t sent = 0; sent < size;) {
        const size_t most = 1 << 20;
        size_t part = size - sent < most ? size - sent : most;
        int written = mg_write(connection, bytes + sent, part);
        if (written <= 0) return;
        sent += (size_t)written;
    }
}

static void send_text(struct mg_connection *connection, int status, const char *text) {
    send_answer(connection, status, "text/plain; charset=utf-8", "", text, strlen(text));
}

/* ---- who may ask ---- */

/* Takes the same time wherever they differ. */
static bool same_token(const char *a, const char *b) {
    unsigned difference = strlen(a) != TOKEN_CAPACITY - 1;
    for (int i = 0; i < TOKEN_CAPACITY - 1 && !difference; i++) difference |= a[i] == '\0';
    if (difference) return false;
    for (int i = 0; i < TOKEN_CAPACITY - 1; i++) difference |= (unsigned)(a[i] ^ b[i]);
    return difference == 0;
}

static bool has_token(const ViewServer *server, struct mg_connection *connection,
                      const char *query) {
    char given[TOKEN_CAPACITY + 1];
    const char *header = mg_get_header(connection, "X-Plimsoll-Token");
    if (header) return same_token(header, server->token);
    return mg_get_var(query, strlen(query), "token", given, sizeof given) > 0 &&
           same_token(given, server->token);
}

/* A page of elsewhere whose name was made to point here has its own Host; one that asks across
 * sites has its own Origin. */
static bool is_from_here(const ViewServer *server, struct mg_connection *connection) {
    const char *host = mg_get_header(connection, "Host");
    const char *origin = mg_get_header(connection, "Origin");
    for (int i = 0; i < 2; i++) {
        char ours[48];
        snprintf(ours, sizeof ours, "http://%s", server->host[i]);
        if (host && strcmp(host, server->host[i]) == 0 && (!origin || strcmp(origin, ours) == 0))
            return true;
    }
    return false;
}

static void answer_route(ViewServer *server, struct mg_connection *connection,
                         const ViewRoute *route, const char *query) {
    ViewAnswer answer = {.status = 200, .type = "application/octet-stream"};
    char message[MESSAGE_CAPACITY] = "";
    pthread_mutex_lock(&server->mutex);
    PlimStatus status = route->answer(server, query, &answer);
    if (status != PLIM_OK) snprintf(message, sizeof message, "%s", plim_message(server->context));
    pthread_mutex_unlock(&server->mutex);
    if (status == PLIM_OK)
        send_answer(connection, answer.status, answer.type, answer.nonce, answer.bytes,
                    answer.size);
    else
        send_text(connection, status == PLIM_BAD_INPUT ? 400 : 500, message);
    if (!answer.bytes) return;
    pthread_mutex_lock(&server->mutex);
    context_free(server->context, answer.bytes, answer.capacity, 1);
    pthread_mutex_unlock(&server->mutex);
}

/* Every request comes here, and civetweb does nothing on its own. */
static int begin_request(struct mg_connection *connection) {
    const struct mg_request_info *request = mg_get_request_info(connection);
    ViewServer *server = request->user_data;
    const char *query = request->query_string ? request->query_string : "";
    const char *path = request->local_uri_raw ? request->local_uri_raw : "";
    if (!is_from_here(server, connection)) {
        send_text(connection, 403, "this server answers its own page only\n");
        return 403;
    }
    if (!has_token(server, connection, query)) {
        send_text(connection, 403, "open the address that plimsoll view printed, with its token\n");
        return 403;
    }
    if (strstr(query, "%00")) {
        send_text(connection, 400, "no text has a zero in it\n");
        return 400;
    }
    bool known = false;
    for (size_t i = 0; i < view_route_count; i++) {
        if (strcmp(view_routes[i].path, path) != 0) continue;
        known = true;
        if (strcmp(view_routes[i].method, request->request_method) != 0) continue;
        answer_route(server, connection, &view_routes[i], query);
        return 200;
    }
    int status = known ? 405 : 404;
    send_text(connection, status, known ? "not that way\n" : "there is no such thing here\n");
    return status;
}

/* What civetweb refuses before we see it: headers that are too long, or no HTTP. */
static int http_error(struct mg_connection *connection, int status, const char *message) {
    (void)message;
    send_text(connection, status, "refused\n");
    return 0;
}

/* Half a request is no news. */
static int log_message(const struct mg_connection *connection, const char *message) {
    (void)connection;
    (void)message;
    return 1;
}

/* ---- life ---- */

bool view_random(char text[TOKEN_CAPACITY]) {
    unsigned char bytes[TOKEN_BYTES];
    if (getrandom(bytes, sizeof bytes, 0) != (ssize_t)sizeof bytes) return false;
    for (size_t i = 0; i < sizeof bytes; i++) snprintf(text + 2 * i, 3, "%02x", bytes[i]);
    return true;
}

static PlimStatus listen_here(ViewServer *server, int64_t port) {
    char where[32];
    snprintf(where, sizeof where, "127.0.0.1:%" PRId64, port);
    const char *options[] = {"listening_ports", where, "num_threads", "64", "listen_backlog", "256",
                             /* a request that does not come to an end holds a thread so long */
                             "request_timeout_ms", "4000", "enable_keep_alive", "yes",
                             "keep_alive_timeout_ms", "2000", "max_request_size", "16384",
                             "enable_directory_listing", "no", "enable_auth_domain_check", "no",
                             "tcp_nodelay", "1",
                             /* paths are matched as they are sent */ "decode_url", "no", NULL};
    struct mg_callbacks callbacks = {
        .begin_request = begin_request, .http_error = http_error, .log_message = log_message};
    struct mg_server_port bound = {0};
    server->http = mg_start(&callbacks, server, options);
    if (!server->http || mg_get_server_ports(server->http, 1, &bound) < 1)
        return context_fail(server->context, PLIM_BAD_INPUT,
                            "view: cannot listen on %s; choose another --port, or leave it out",
                            where);
    snprintf(server->host[0], sizeof server->host[0], "127.0.0.1:%d", bound.port);
    snprintf(server->host[1], sizeof server->host[1], "localhost:%d", bound.port);
    snprintf(server->address, sizeof server->address, "http://%s/?token=%s", server->host[0],
             server->token);
    return PLIM_OK;
}

static PlimStatus prepare(ViewServer *server, const ViewServerDesc *desc) {
    PlimContext *context = server->context;
    if (desc->scene) TRY(folder_create(context, desc->folder));
    char *resolved = realpath(desc->folder, NULL);
    bool fits = resolved && strlen(resolved) < sizeof server->folder;
    if (fits) strcpy(server->folder, resolved);
    free(resolved);
    if (!fits) return context_fail(context, PLIM_BAD_INPUT, "there is no folder %s", desc->folder);
    strcpy(server->run.folder, server->folder);
    server->run.exit_code = -1;
    server->run.threads = desc->threads;
    if (desc->scene &&
        snprintf(server->run.scene, PATH_CAPACITY, "%s", desc->scene) >= PATH_CAPACITY)
        return context_fail(context, PLIM_BAD_INPUT, "the name of the scene is too long");
    if (!view_random(server->token))
        return context_fail(context, PLIM_IO_ERROR, "there are no random numbers for the token");
    /* Frames of a folder that came from elsewhere must not make us read other files. */
    h5_refuse_links();
    return listen_here(server, desc->port);
}

PlimStatus view_server_create(PlimContext *context, const ViewServerDesc *desc, ViewServer **out) {
    ViewServer *server = context_allocate(context, 1, sizeof *server);
    if (!server) return PLIM_OUT_OF_MEMORY;
    server->context = context;
    pthread_mutex_init(&server->mutex, NULL);
    mg_init_library(MG_FEATURES_DEFAULT);
    PlimStatus status = prepare(server, desc);
    if (status == PLIM_OK)
        *out = server;
    else
        view_server_destroy(server);
    return status;
}

void view_server_destroy(ViewServer *server) {
    if (!server) return;
    PlimContext *context = server->context;
    if (server->http) mg_stop(server->http);
    mg_exit_library();
    run_control_end(&server->run);
    if (server->has_frame) frame_data_free(context, &server->frame);
    pthread_mutex_destroy(&server->mutex);
    context_free(context, server, 1, sizeof *server);
}

const char *view_server_address(const ViewServer *server) {
    return server->address;
}
