# The folders of src/ that need the same libraries, in the order of the layers: each may use only those
# before it (scripts/lint-layers).
set(plim_core_folders base math geom grid solve collide system rigid deform fluid splash couple world)
set(plim_scene_folders scene)
set(plim_io_folders io)
set(plim_render_folders render)

get_filename_component(plim_root ${CMAKE_CURRENT_LIST_DIR} DIRECTORY)

# plim_layer_sources(RESULT LAYER): the files of a layer. A folder in a folder of src/ belongs to it; what lies
# deeper is optional and is named where its option is.
function(plim_layer_sources result layer)
  set(patterns)
  foreach(folder ${plim_${layer}_folders})
    list(APPEND patterns ${plim_root}/src/${folder}/*.c ${plim_root}/src/${folder}/*/*.c)
  endforeach()
  file(GLOB sources CONFIGURE_DEPENDS ${patterns})
  set(${result} ${sources} PARENT_SCOPE)
endfunction()
