import Testing

/// The suites that run one test at a time, like a decoder process: libvips has one error buffer per process.
@Suite(.serialized)
enum ImagesTests {}
