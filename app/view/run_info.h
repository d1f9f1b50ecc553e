/* What the page must know of a run before it asks for frames, as JSON: for the server and for
 * files.
 */
#ifndef APP_VIEW_RUN_INFO_H
#define APP_VIEW_RUN_INFO_H

#include "base/text.h"
#include "io/run_folder.h"

/* Adds {"name", "fps", "last", "camera", ...} without its closing brace. A scene that cannot be
 * read leaves the folder's name. */
void run_info_add(Text *json, PlimContext *context, const char *folder);
/* Adds ,"frames":[...]. */
void run_info_add_frames(Text *json, const FrameList *frames);

#endif
