import Testing

/// One test at a time, as a decoder process has one job at a time: libvips has one error buffer for all of a process.
@Suite(.serialized)
enum ImagesTests {}
