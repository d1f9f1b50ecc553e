/* The viewer's server: HTTP on 127.0.0.1 only (civetweb), no files but what the routes name. Every
 * request carries a token that the address printed at the start contains; requests whose Host or
 * Origin is not ours are refused. */
#ifndef APP_VIEW_SERVER_H
#define APP_VIEW_SERVER_H

#include "view/run_control.h"

typedef struct ViewServer ViewServer;

typedef struct ViewServerDesc {
    const char *folder; /* of the run */
    const char *scene;  /* scene file that a run may be started from; NULL: none */
    int64_t port;       /* 0: a free one */
    int64_t threads;    /* of runs; 0: one a core */
} ViewServerDesc;

/* Starts to answer. The context is the server's until it is destroyed. */
PlimStatus view_server_create(PlimContext *context, const ViewServerDesc *desc, ViewServer **out);
void view_server_destroy(ViewServer *server);

/* "http://127.0.0.1:PORT/?token=..." */
const char *view_server_address(const ViewServer *server);

#endif
