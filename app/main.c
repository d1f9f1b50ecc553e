#include "app.h"

#include "base/suggest.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct Command {
    const char *name;
    int (*run)(int argc, char **argv);
    const char *usage, *summary;
} Command;

static const Command commands[] = {
    {"run", command_run,
     "SCENE [--out DIR] [--frames N] [--threads N] [--set /pointer=VALUE]... [--state-every K]\n"
     "           [--keep-states] [--quiet] [--progress json] [--drop-caches SEED]\n"
     "           [--check-intersections]",
     "simulate a scene file into a folder (default out/NAME)"},
    {"resume", command_resume,
     "DIR [--frames N] [--from-frame N] [--set /pointer=VALUE]... [as for run]",
     "go on with a run, to the bit; N is the last frame to reach"},
    {"check", command_check, "SCENE [--set /pointer=VALUE]...",
     "read a scene, list every problem, tell the memory it needs"},
    {"render", command_render,
     "DIR [--show speed|vorticity|smoke|pressure|temperature|liquid|bodies|stress|stretch]\n"
     "           [--range A,B] [--lines] [--domain NAME] [--camera front|top|side|orbit]\n"
     "           [--set /camera/KEY=VALUE]... [--ids] [--frame N] [--slow FACTOR] [--fps F]\n"
     "           [--width W] [--height H] [--samples S] [--sheet N] [--threads N] [--quiet]\n"
     "           [--progress json]",
     "draw the frames: DIR/pictures/*.png, DIR/film.mp4, DIR/sheet.png"},
    {"view", command_view, "DIR|SCENE [--port N] [--out DIR] [--threads N]",
     "look at a run, finished or going on, in the browser; start, pause and step one"},
    {"plot", command_plot, "DIR [--columns A,B,...]",
     "draw probes and figures over time: DIR/plots/*.png"},
    {"mesh", command_mesh,
     "FILE [--repair] [--to OUT] [--cells N] [--field OUT.h5] [--surface OUT.ply] [--tets "
     "OUT.msh]\n"
     "           [--spacing H] [--threads N]",
     "tell what is wrong with a mesh file, repair it, make its distance field, surface and tets"},
    {"export", command_export,
     "DIR --to gltf|usd|ply|obj|vtk|vdb|html [--frame N | --frames A:B] [--every N] [--out "
     "FOLDER]\n"
     "           [--scale UNITS] [--up y|z]",
     "write frames for other programs, or one page to look at them: DIR/export/"},
    {"info", command_info, "DIR|FILE",
     "tell what is in a run's folder, a state, a scene or a mesh"},
    {"bench", command_bench, "[NAME...] [--threads N] [--quick | --long]",
     "measure hot paths; one JSON line a case"},
    {"schema", command_schema, "[--markdown]", "print the scene format as JSON Schema or Markdown"},
};

enum { COMMAND_COUNT = sizeof commands / sizeof *commands };

static void print_help(FILE *to) {
    fprintf(to, "Plimsoll %s: solids and fluids that push on each other.\n\nUsage:\n",
            plim_version());
    for (int i = 0; i < COMMAND_COUNT; i++)
        fprintf(to, "  plimsoll %s %s\n        %s\n", commands[i].name, commands[i].usage,
                commands[i].summary);
    fprintf(
        to,
        "\nExit codes: 0 done; 1 the run failed; 2 the request was wrong; 130 interrupted, "
        "saved and resumable.\nDistance fields are kept for the next run in the folder that "
        "PLIMSOLL_CACHE names, if set.\nScene format: docs/scene-format.md, examples: scenes/.\n");
}

static int unknown_command(const char *name) {
    const char *names[COMMAND_COUNT];
    for (int i = 0; i < COMMAND_COUNT; i++) names[i] = commands[i].name;
    const char *guess = suggest_name(name, names, COMMAND_COUNT);
    if (guess)
        print_error("there is no command '%s'; did you mean '%s'?", name, guess);
    else
        print_error("there is no command '%s'; see plimsoll --help", name);
    return EXIT_BAD_REQUEST;
}

static bool asks_for_help(int argc, char **argv) {
    for (int i = 0; i < argc; i++)
        if (strcmp(argv[i], "--help") == 0 || strcmp(argv[i], "-h") == 0) return true;
    return false;
}

/* OpenMP threads that wait spin for milliseconds by default, which on a busy machine makes a step
 * up to a hundred times slower. How long they spin is read from the environment before main runs,
 * so the program starts itself again with a short spin, unless the user has chosen. */
static void start_with_short_spin(char **argv) {
    if (getenv("GOMP_SPINCOUNT") || getenv("OMP_WAIT_POLICY")) return;
    if (setenv("GOMP_SPINCOUNT", "4000", 1) == 0) execv("/proc/self/exe", argv);
    /* Where that does not work the program runs all the same. */
}

int main(int argc, char **argv) {
    start_with_short_spin(argv);
    signal(SIGXFSZ, SIG_IGN); /* a file size limit is an error of write, not the end */
    signal(SIGPIPE, SIG_IGN);
    if (argc < 2) {
        print_help(stderr);
        return EXIT_BAD_REQUEST;
    }
    const char *name = argv[1];
    if (strcmp(name, "--version") == 0) {
        printf("plimsoll %s\n", plim_version());
        return EXIT_DONE;
    }
    if (strcmp(name, "--help") == 0 || strcmp(name, "-h") == 0 || strcmp(name, "help") == 0) {
        print_help(stdout);
        return EXIT_DONE;
    }
    for (int i = 0; i < COMMAND_COUNT; i++) {
        if (strcmp(commands[i].name, name) != 0) continue;
        if (!asks_for_help(argc - 2, argv + 2)) return commands[i].run(argc - 2, argv + 2);
        printf("plimsoll %s %s\n        %s\n", name, commands[i].usage, commands[i].summary);
        return EXIT_DONE;
    }
    return unknown_command(name);
}
