package io.stoker.dispatcher.backup;

import io.stoker.common.message.HostMessage;
import io.stoker.common.message.HostMessage.HostResources;
import java.util.Collection;
import java.util.Map;
import java.util.TreeMap;

/**
 * Collects from the heartbeat log what a restored database does not know of hosts: who was granted
 * epochs since the backup, and for how long their jobs run on unheard. To be given the log's
 * messages in order.
 */
public final class HeardHosts {
  private final Map<String, Heard> hosts = new TreeMap<>();

  /** A host that was heard of. */
  public static final class Heard {
    private final String id;
    private String fleet = "";
    private String version;
    private long epoch;

    /** Of the agent that has that epoch; null if nothing tells of it. */
    private HostResources resources;

    /**
     * Of hellos since that epoch was heard of first: one of them may have been granted the next.
     */
    private HostResources asked;

    private Heard(String id) {
      this.id = id;
    }

    public String id() {
      return id;
    }

    public String fleet() {
      return fleet;
    }

    /** Of its agent; null if nothing tells of it. */
    public String version() {
      return version;
    }

    /** The newest that was heard of; 0 if it has only asked. */
    public long epoch() {
      return epoch;
    }

    /** What the agent of that epoch said that it has; null if it was not heard to. */
    public HostResources resources() {
      return resources;
    }

    /**
     * How long its jobs run on while nothing is heard of it, ms; 0 for no longer than its lease.
     */
    public long outageMs() {
      return resources == null ? 0 : resources.outageMs();
    }

    private void hello(HostMessage.Hello hello) {
      fleet = hello.fleet();
      version = hello.version();
      boolean longer = asked == null || hello.resources().outageMs() >= asked.outageMs();
      asked = longer ? hello.resources() : asked;
    }

    private void in(long other) {
      if (other > epoch) {
        epoch = other;
        resources = asked;
        asked = null;
      }
    }

    private void has(long other, HostResources now) {
      in(other);
      if (other == epoch) {
        resources = now;
      }
    }
  }

  /** The next message of the log. */
  public void heard(HostMessage message) {
    Heard host = hosts.computeIfAbsent(message.host(), Heard::new);
    switch (message) {
      case HostMessage.Hello hello -> host.hello(hello);
      case HostMessage.Heartbeat beat -> host.in(beat.epoch());
      case HostMessage.Inventory all -> host.has(all.epoch(), all.resources());
      case HostMessage.Goodbye goodbye -> host.in(goodbye.epoch());
    }
  }

  /** Those that were heard of, by name. */
  public Collection<Heard> all() {
    return hosts.values();
  }
}
