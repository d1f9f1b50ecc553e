/* What the server and its routes share. */
#ifndef APP_VIEW_SERVER_INTERNAL_H
#define APP_VIEW_SERVER_INTERNAL_H

#include "view/server.h"

#include "base/text.h"
#include "io/run_folder.h"

#include <civetweb.h>
#include <pthread.h>

enum { TOKEN_BYTES = 16, TOKEN_CAPACITY = 2 * TOKEN_BYTES + 1, ADDRESS_CAPACITY = 96 };

struct ViewServer {
    PlimContext *context;
    struct mg_context *http;
    /* Held by a request while it makes its answer: context, HDF5 and what is below are for one
     * thread at a time. */
    pthread_mutex_t mutex;
    char folder[PATH_CAPACITY]; /* resolved */
    char token[TOKEN_CAPACITY];
    char address[ADDRESS_CAPACITY];
    char host[2][32]; /* 127.0.0.1:PORT, localhost:PORT */
    RunControl run;
    bool has_frame; /* `frame` is frame number `frame.frame` of the file `frame_file` tells */
    FrameData frame;
    struct timespec frame_time; /* when that file was written */
};

/* An answer, in the context's memory. */
typedef struct ViewAnswer {
    int status; /* of HTTP */
    const char *type;
    char *bytes;
    size_t size, capacity;
    char nonce[TOKEN_CAPACITY]; /* of a page; else empty */
} ViewAnswer;

typedef struct ViewRoute {
    const char *method, *path;
    /* `query` is the part after '?', never NULL. Called with the mutex held. A status other than
     * PLIM_OK: the context's message is the answer. */
    PlimStatus (*answer)(ViewServer *server, const char *query, ViewAnswer *out);
} ViewRoute;

extern const ViewRoute view_routes[];
extern const size_t view_route_count;

/* Hexadecimal digits of random bytes; false when there are none to be had. */
bool view_random(char text[TOKEN_CAPACITY]);

#endif
