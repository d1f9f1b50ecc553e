# Three files as C arrays: cmake -DOUT=... -DBODY=... -DSTYLE=... -DSCRIPT=... -P embed.cmake
set(text "/* Made by cmake/embed.cmake. */\nextern const char viewer_body[], viewer_style[], viewer_script[];\n")
foreach(part BODY STYLE SCRIPT)
  file(READ ${${part}} bytes HEX)
  string(REGEX REPLACE "(..)" "0x\\1," bytes "${bytes}")
  # Lines of a length that tools can stand.
  string(REGEX REPLACE "(0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,)" "\\1\n"
         bytes "${bytes}")
  string(TOLOWER ${part} name)
  string(APPEND text "const char viewer_${name}[] = {\n${bytes}0};\n")
endforeach()
file(WRITE ${OUT} "${text}")
