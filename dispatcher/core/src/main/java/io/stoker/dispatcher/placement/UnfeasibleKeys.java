package io.stoker.dispatcher.placement;

import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/**
 * Jobs for which a pass has found no room: whoever asks for the same, and for as much memory or
 * more, finds none either, and need not be looked at.
 */
final class UnfeasibleKeys {
  private final Map<Key, Shortfall> found = new HashMap<>();

  /**
   * What differs in who can ever serve it: beside what it asks for whether it is only said or was
   * measured, and whether hosts that have less are looked at since too few have so much.
   */
  private record Key(SchedulingKey asked, boolean firm, boolean anywhere) {}

  private record Shortfall(long bytes, Lack lack) {}

  /**
   * Why there was none.
   *
   * @param lacking hosts that had all but the memory, 0 if memory was not what was missing
   * @param most bytes that one of them had left
   */
  record Lack(UnschedulableReason why, long lacking, int able, long most) {
    static Lack of(UnschedulableReason why) {
      return new Lack(why, 0, 0, 0);
    }

    private UnschedulableReason why(Need need) {
      return lacking == 0 ? why : UnschedulableReason.noMemory(lacking, able, most, need);
    }
  }

  /**
   * Why there is none, if that is known.
   *
   * @param anywhere whether it goes to hosts that have less, too
   */
  Optional<UnschedulableReason> why(SchedulingKey asked, Need need, boolean anywhere) {
    return Optional.ofNullable(found.get(key(asked, need, anywhere)))
        .filter(known -> bytes(need) >= known.bytes())
        .map(known -> known.lack().why(need));
  }

  /**
   * Remembers it.
   *
   * @param forMemory whether less memory might have been found
   */
  UnschedulableReason note(
      SchedulingKey asked, Need need, boolean anywhere, Lack lack, boolean forMemory) {
    found.put(key(asked, need, anywhere), new Shortfall(forMemory ? bytes(need) : 0, lack));
    return lack.why(need);
  }

  private static Key key(SchedulingKey asked, Need need, boolean anywhere) {
    return new Key(asked, need.memory() != null && need.memory().firm(), anywhere);
  }

  private static long bytes(Need need) {
    return need.memory() == null ? 0 : need.memory().bytes();
  }
}
