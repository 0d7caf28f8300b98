#include <sqlite3.h>

/// `sqlite3_db_config` for one flag; Swift cannot call variadic functions. Returns the result code;
/// `*now` is the flag's value afterwards.
static inline int csqlite_db_config_flag(sqlite3 *db, int option, int value, int *now) {
  return sqlite3_db_config(db, option, value, now);
}
