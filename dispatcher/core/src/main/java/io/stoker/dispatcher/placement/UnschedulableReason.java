package io.stoker.dispatcher.placement;

import io.stoker.common.size.ByteSize;
import io.stoker.dispatcher.model.GroupLimit;
import java.util.List;

/**
 * The reason why a job in line was not placed.
 *
 * @param reason a label of few values, for metrics
 * @param sentence for people, with figures
 */
public record UnschedulableReason(Reason reason, String sentence) {
  private static final int SHOWN = 5;

  /** Why. */
  public enum Reason {
    /** Hosts could serve it, and none has room now. */
    NO_ROOM,
    /** Hosts could serve it and have room for it, but for their memory. */
    NO_MEMORY,
    /** No host, as it is, can ever serve it. */
    UNSATISFIABLE,
    /** Its queue runs as many as it may. */
    LIMIT,
    /** Its group lets no more start now. */
    GROUP,
    /** Hosts could serve it, and none of them is usable. */
    HOSTS_AWAY,
    /** What room there is, is kept for jobs that have waited longer. */
    RESERVED,
    /** A host is kept free for it, or as many as it takes at once. */
    RESERVING,
    /** Others are being ended to make room for it. */
    PREEMPTING
  }

  static UnschedulableReason never(String sentence) {
    return new UnschedulableReason(Reason.UNSATISFIABLE, sentence);
  }

  static UnschedulableReason noRoom(int hosts, String need) {
    String sentence = "none of " + hosts + " able host(s) has " + need + " free now";
    return new UnschedulableReason(Reason.NO_ROOM, sentence);
  }

  /** For a job that takes several hosts at once. */
  static UnschedulableReason noRoom(int members, int withRoom, int hosts, String need) {
    String sentence =
        "needs %d hosts with %s at once, and %d of %d able host(s) have room now"
            .formatted(members, need, withRoom, hosts);
    return new UnschedulableReason(Reason.NO_ROOM, sentence);
  }

  /**
   * For a job that lacks a host's memory and nothing else.
   *
   * @param lacking hosts that have all else that it needs free
   * @param able hosts that could serve it
   * @param most bytes that one of them has left
   */
  static UnschedulableReason noMemory(long lacking, int able, long most, Need need) {
    String memory =
        need.memory() == null
            ? "memory left that is not given to one job alone"
            : "%s left: the most is %s".formatted(need.memory().describe(), ByteSize.text(most));
    String sentence =
        "%d of %d able host(s) have %s free now, and none of them has %s"
            .formatted(lacking, able, need.describe(), memory);
    return new UnschedulableReason(Reason.NO_MEMORY, sentence);
  }

  /**
   * For a job whose hosts take nothing.
   *
   * @param why of each host that could serve it
   */
  static UnschedulableReason hostsAway(List<String> why) {
    String sentence = why.size() + " host(s) could serve it, and none of them is usable now";
    return new UnschedulableReason(Reason.HOSTS_AWAY, sentence + common(why));
  }

  /** What they all say, if that is one thing. */
  private static String common(List<String> why) {
    String first = why.getFirst();
    return first != null && why.stream().allMatch(first::equals) ? ": each " + first : "";
  }

  /** For a job that takes several hosts at once. */
  static UnschedulableReason hostsAway(int members, int usable, int hosts) {
    String sentence =
        "needs %d hosts at once; %d host(s) could serve it, and %d of them are usable now"
            .formatted(members, hosts, usable);
    return new UnschedulableReason(Reason.HOSTS_AWAY, sentence);
  }

  static UnschedulableReason reserved(String job, String need) {
    String sentence = need + " would be free, and are kept for job " + job + ", which goes first";
    return new UnschedulableReason(Reason.RESERVED, sentence);
  }

  static UnschedulableReason reservingOne(
      Reservation reservation, HostCapacity capacity, Need need) {
    String memory =
        need.memory() == null || capacity.memory().has(need.memory(), 0)
            ? ""
            : "; it " + capacity.memory().lacks(need.memory());
    String sentence =
        "host %s is kept free for it: %d of %s%s"
            .formatted(
                reservation.hosts().getFirst(), capacity.free(need), need.describe(), memory);
    return new UnschedulableReason(Reason.RESERVING, sentence);
  }

  /** For a job that takes several hosts at once. */
  static UnschedulableReason reserving(Reservation reservation, long ready, String need) {
    String sentence =
        "%d of the hosts %s, which are kept free for it, have %s free"
            .formatted(ready, String.join(", ", reservation.hosts()), need);
    return new UnschedulableReason(Reason.RESERVING, sentence);
  }

  /** Others are served before. */
  static UnschedulableReason toReserve(int members) {
    String hosts = members == 1 ? "a host" : members + " hosts";
    String sentence =
        "it is next to have %s kept free for it; others are served before".formatted(hosts);
    return new UnschedulableReason(Reason.RESERVING, sentence);
  }

  static UnschedulableReason group(GroupLimit limit) {
    return new UnschedulableReason(Reason.GROUP, limit.why());
  }

  /** For a job for whose sake others are being ended. */
  public static UnschedulableReason preempting(List<Running> ended) {
    List<String> requests = ended.stream().map(Running::request).toList();
    String shown = String.join(", ", requests.subList(0, Math.min(SHOWN, requests.size())));
    String more = requests.size() > SHOWN ? " and " + (requests.size() - SHOWN) + " more" : "";
    String sentence = "waits for %s%s to end, which it preempts".formatted(shown, more);
    return new UnschedulableReason(Reason.PREEMPTING, sentence);
  }

  static UnschedulableReason limit(String queue, int maxRunning) {
    String sentence =
        "its queue " + queue + " runs as many jobs as it may: max-running is " + maxRunning;
    return new UnschedulableReason(Reason.LIMIT, sentence);
  }
}
