/* The page of the viewer, put together. */
#include "view/page.h"

#include <string.h>

const char page_missing[] =
    "this build has no page to look at runs with: run scripts/setup, which installs npm and "
    "esbuild "
    "(on Debian: apt-get install npm esbuild), then build again with a way to the npm registry";

#ifdef PLIM_VIEW_PAGE
/* Made by cmake/viewer.cmake; NUL-terminated. */
extern const char viewer_body[], viewer_style[], viewer_script[];

bool page_is_there(void) {
    return true;
}
#else
static const char viewer_body[] = "", viewer_style[] = "", viewer_script[] = "";

bool page_is_there(void) {
    return false;
}
#endif

static void add_escaped(Text *page, const char *text) {
    for (; *text; text++) {
        if (*text == '<')
            text_add(page, "&lt;");
        else if (*text == '&')
            text_add(page, "&amp;");
        else
            text_add(page, "%c", *text);
    }
}

static void add_tag(Text *page, const char *tag, const char *nonce) {
    text_add(page, nonce ? "<%s nonce=\"%s\">" : "<%s>", tag, nonce);
}

/* A file loads nothing at all: what it needs stands in it. */
static const char file_policy[] =
    "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; script-src "
    "'unsafe-inline'; style-src 'unsafe-inline'; img-src data: blob:\">\n";

void page_begin(Text *page, const char *nonce, const char *title) {
    text_add(page, "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n%s",
             nonce ? "" : file_policy);
    text_add(page, "<meta name=\"viewport\" content=\"width=device-width\">\n"
                   "<link rel=\"icon\" href=\"data:,\">\n<title>");
    add_escaped(page, title);
    text_add(page, " - Plimsoll</title>\n");
    add_tag(page, "style", nonce);
    text_add(page, "%s</style>\n</head>\n<body>\n%s", viewer_style, viewer_body);
}

void page_end(Text *page, const char *nonce) {
    add_tag(page, "script", nonce);
    text_add(page, "%s</script>\n</body>\n</html>\n", viewer_script);
}
