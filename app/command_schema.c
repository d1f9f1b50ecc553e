#include "app.h"

#include "scene/scene.h"

int command_schema(int argc, char **argv) {
    bool markdown = false;
    const Option table[] = {{"--markdown", OPTION_FLAG, &markdown}};
    int words;
    if (!parse_options("schema", argc, argv, table, 1, NULL, 0, &words)) return EXIT_BAD_REQUEST;
    PlimContext *context = open_context(1, false);
    if (!context) return EXIT_RUN_FAILED;
    char *text = markdown ? scene_reference(context) : scene_json_schema(context);
    if (text) fputs(text, stdout);
    int code = text ? EXIT_DONE : report(context, PLIM_OUT_OF_MEMORY);
    context_free_text(context, text);
    close_context(context);
    return code;
}
