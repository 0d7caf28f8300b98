#include <sqlite3.h>

/// `sqlite3_db_config` for one flag; Swift cannot call variadic functions. Returns the result code;
/// `*now` is the flag's value afterwards.
static inline int csqlite_db_config_flag(sqlite3 *db, int option, int value, int *now) {
  return sqlite3_db_config(db, option, value, now);
}

/// Turns off SQLite's own count of its memory, for which it locks a mutex at each allocation.
/// Returns the result code: `SQLITE_MISUSE` if the process already uses SQLite.
static inline int csqlite_disable_memory_statistics(void) {
  return sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0);
}
