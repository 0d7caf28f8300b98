// Declares libcurl's types and constants; the library itself is not linked but loaded at run time.
//
// Swift cannot call variadic functions, so each kind of argument gets a caller here. `function` is
// the address of curl_easy_setopt, curl_multi_setopt or curl_easy_getinfo from dlsym.
#ifndef SWIFTBOARD_CCURL_H
#define SWIFTBOARD_CCURL_H

#ifndef CURL_DISABLE_TYPECHECK
#define CURL_DISABLE_TYPECHECK
#endif
#include <curl/curl.h>

typedef size_t (*swiftboard_data_callback)(char *, size_t, size_t, void *);
typedef curl_socket_t (*swiftboard_socket_callback)(void *, curlsocktype, struct curl_sockaddr *);
typedef int (*swiftboard_seek_callback)(void *, curl_off_t, int);
typedef int (*swiftboard_sending_callback)(void *, char *, char *, int, int);
typedef int (*swiftboard_debug_callback)(void *, int, char *, size_t, void *);

static inline int swiftboard_curl_set_long(void *function, void *handle, int option, long value) {
  return ((int (*)(void *, int, ...))function)(handle, option, value);
}

static inline int swiftboard_curl_set_offset(void *function, void *handle, int option, curl_off_t value) {
  return ((int (*)(void *, int, ...))function)(handle, option, value);
}

static inline int swiftboard_curl_set_pointer(void *function, void *handle, int option, const void *value) {
  return ((int (*)(void *, int, ...))function)(handle, option, value);
}

static inline long swiftboard_curl_get_long(void *function, void *handle, int info) {
  long value = 0;
  ((int (*)(void *, int, ...))function)(handle, info, &value);
  return value;
}

static inline curl_off_t swiftboard_curl_get_offset(void *function, void *handle, int info) {
  curl_off_t value = 0;
  ((int (*)(void *, int, ...))function)(handle, info, &value);
  return value;
}

// The state of a decoder of zlib, whose headers are not needed: its layout never changes.
typedef struct {
  const unsigned char *next_in;
  unsigned int avail_in;
  unsigned long total_in;
  unsigned char *next_out;
  unsigned int avail_out;
  unsigned long total_out;
  const char *message;
  void *state;
  void *allocate;
  void *deallocate;
  void *context;
  int data_type;
  unsigned long checksum;
  unsigned long reserved;
} swiftboard_zlib_stream;

// Options whose names are missing from older headers or deprecated in newer ones. Their numbers
// never change.
enum {
  SWIFTBOARD_CURLOPT_PROTOCOLS = 181,
  SWIFTBOARD_CURLOPT_PROTOCOLS_STR = 10318,
  SWIFTBOARD_CURLOPT_QUICK_EXIT = 322,
  SWIFTBOARD_CURLOPT_PREREQFUNCTION = 20312,
  SWIFTBOARD_CURLOPT_PREREQDATA = 10313,
};

#endif
