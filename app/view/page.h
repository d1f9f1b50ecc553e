/* The page of the viewer: its parts as they were compiled in, put together for the server or for a
 * file of its own. */
#ifndef APP_VIEW_PAGE_H
#define APP_VIEW_PAGE_H

#include "base/text.h"

/* False when the build had no npm or esbuild. */
bool page_is_there(void);
/* What to do about it. */
extern const char page_missing[];

/* The page up to where its data goes. `nonce` lets its own style and script through the server's
 * policy; NULL: it stands in a file, with a policy of its own. `title` is the run's name. */
void page_begin(Text *page, const char *nonce, const char *title);
/* After the data: the script. */
void page_end(Text *page, const char *nonce);

#endif
