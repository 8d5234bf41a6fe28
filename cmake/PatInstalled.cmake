# The targets that the demonstrations link, of the library that is installed. Its headers, and not those of this
# tree, are included: of the tree measure/ and apps/ alone are seen, through links in the build folder.
find_package(pat ${PROJECT_VERSION} CONFIG REQUIRED COMPONENTS pat schedules predictors)
add_library(pat ALIAS pat::pat)
add_library(pat_core ALIAS pat::core)
add_library(pat_collectives ALIAS pat::schedules)
add_library(pat_predictors ALIAS pat::predictors)

set(PAT_INCLUDE_ROOT ${PROJECT_BINARY_DIR}/seen)
file(MAKE_DIRECTORY ${PAT_INCLUDE_ROOT})
foreach(folder apps measure)
  file(CREATE_LINK ${PROJECT_SOURCE_DIR}/${folder} ${PAT_INCLUDE_ROOT}/${folder} SYMBOLIC)
endforeach()
