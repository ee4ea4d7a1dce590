package io.stoker.cli.doctor;

import com.fasterxml.jackson.annotation.JsonInclude;

/**
 * The finding of one check.
 *
 * @param check what was looked at, in a word or two
 * @param level how bad it is
 * @param found what there is, for people
 * @param remedy what to do about it; null where nothing needs to be done
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
record Finding(String check, Level level, String found, String remedy) {
  enum Level {
    OK,
    /** Works, but not as well as it could. */
    WARN,
    /** Something that is needed does not work. */
    FAIL
  }

  static Finding ok(String check, String found) {
    return new Finding(check, Level.OK, found, null);
  }

  static Finding warn(String check, String found, String remedy) {
    return new Finding(check, Level.WARN, found, remedy);
  }

  static Finding fail(String check, String found, String remedy) {
    return new Finding(check, Level.FAIL, found, remedy);
  }
}
