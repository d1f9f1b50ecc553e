/* A run as one HTML file: the viewer's page with frames in it, to open from disk. */
#ifndef APP_VIEW_EXPORT_HTML_H
#define APP_VIEW_EXPORT_HTML_H

#include "io/run_folder.h"

/* Every `every`th frame into `path`. The size is told before it is written when it is above 50 MB.
 */
PlimStatus export_html(RunFolder *folder, uint64_t every, const char *path);

#endif
