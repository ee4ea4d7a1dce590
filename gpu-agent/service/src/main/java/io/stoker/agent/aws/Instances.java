package io.stoker.agent.aws;

import io.stoker.agent.aws.Ec2.Instance;
import io.stoker.agent.aws.Startup.Decision;
import io.stoker.agent.ssh.Node;
import io.stoker.agent.ssh.Nodes;
import java.io.IOException;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.ReentrantLock;
import org.jboss.logging.Logger;

/**
 * Instances as nodes. One that this agent has started is stopped when nothing uses it any more, if
 * that is set; one that ran already is left alone.
 */
final class Instances implements Nodes {
  private static final Logger LOG = Logger.getLogger(Instances.class);

  /** Between two looks at an instance that is on its way, ms. */
  private static final long LOOK_MS = 5_000;

  /**
   * What it goes by.
   *
   * @param tries to start an instance
   * @param every between two of them
   * @param shutdown whether what was started is stopped
   */
  record Rules(int tries, Duration every, boolean shutdown) {}

  private final Map<String, Node> byName;
  private final Ec2 ec2;
  private final Rules rules;
  private final StartedInstances instances;
  private final Map<String, Startup> startups = new ConcurrentHashMap<>();

  /** Runs by instance; its own monitor guards it, and is never held while EC2 is asked. */
  private final Map<String, Set<String>> users = new HashMap<>();

  /** One job at a time starts an instance, and none while it is told to stop. */
  private final Map<String, ReentrantLock> locks = new ConcurrentHashMap<>();

  private final Set<Thread> stopping = ConcurrentHashMap.newKeySet();
  private volatile boolean closed;

  /**
   * @param byName with the instance's id as host
   */
  Instances(Map<String, Node> byName, Ec2 ec2, Rules rules, StartedInstances instances) {
    this.byName = byName;
    this.ec2 = ec2;
    this.rules = rules;
    this.instances = instances;
  }

  @Override
  public List<Offer> offers() {
    return byName.entrySet().stream()
        .map(node -> new Offer(node.getKey(), node.getValue().gpus()))
        .toList();
  }

  @Override
  public Readiness prepare(String name) {
    Node node = byName.get(name);
    return node == null ? unknown(name) : prepare(node);
  }

  private static Never unknown(String name) {
    return new Never("instance " + name + " is not in the mapping any more", true);
  }

  private Readiness prepare(Node node) {
    ReentrantLock lock = lock(node.host());
    lock.lock();
    try {
      return prepareAlone(node);
    } finally {
      lock.unlock();
    }
  }

  private ReentrantLock lock(String id) {
    return locks.computeIfAbsent(id, same -> new ReentrantLock());
  }

  private Readiness prepareAlone(Node node) {
    String id = node.host();
    long now = System.nanoTime() / 1_000_000;
    Startup startup =
        startups.getOrDefault(id, Startup.of(rules.tries(), rules.every())).wanted(now);
    Decision decision;
    try {
      decision = startup.on(id, ec2.describe(id), now);
      if (decision instanceof Decision.Start) {
        start(id);
        startup = startup.tried(now, Optional.empty());
        decision = new Decision.Later(Math.min(LOOK_MS, rules.every().toMillis()));
      }
    } catch (Ec2Exception e) {
      LOG.warn(e.getMessage());
      startup = startup.tried(now, Optional.of(e.getMessage()));
      decision = startup.onFailure(e);
    }
    startups.put(id, startup);
    if (decision instanceof Decision.Ready || decision instanceof Decision.Never) {
      startups.remove(id); // the next job's tries are its own
    }
    return readiness(node, decision);
  }

  private void start(String id) throws Ec2Exception {
    if (rules.shutdown()) {
      try {
        instances.put(id);
      } catch (IOException e) {
        throw new Ec2Exception(
            Ec2Exception.Kind.LATER,
            "instance %s is not started, since it could not be written down: %s".formatted(id, e));
      }
    }
    LOG.infof("starting instance %s", id);
    ec2.start(id);
  }

  private static Readiness readiness(Node node, Decision decision) {
    return switch (decision) {
      case Decision.Ready(String address) ->
          new Ready(new Node(node.user(), address, node.port(), node.key(), node.host()));
      case Decision.Later(long ms) -> new Later(ms);
      case Decision.Start start -> new Later(LOOK_MS);
      case Decision.Never(String why, boolean gone) -> new Never(why, gone);
    };
  }

  @Override
  public Readiness find(String name) {
    Node node = byName.get(name);
    if (node == null) {
      return unknown(name);
    }
    try {
      Instance seen = ec2.describe(node.host());
      return switch (seen.state()) {
        case RUNNING ->
            seen.address()
                .map(address -> readiness(node, new Decision.Ready(address)))
                .orElse(new Later(LOOK_MS));
        case PENDING -> new Later(LOOK_MS);
        case STOPPING, STOPPED, SHUTTING_DOWN, TERMINATED ->
            new Never(
                "instance %s was stopped%s"
                    .formatted(node.host(), seen.reason().map(why -> " (" + why + ")").orElse("")),
                true);
      };
    } catch (Ec2Exception e) {
      return new Never(e.getMessage(), e.kind() == Ec2Exception.Kind.NOTHING);
    }
  }

  @Override
  public void used(String name, String run) {
    synchronized (users) {
      users.computeIfAbsent(id(name), same -> new TreeSet<>()).add(run);
    }
  }

  @Override
  public void unused(String name, String run) {
    synchronized (users) {
      Set<String> left = users.getOrDefault(id(name), new TreeSet<>());
      left.remove(run);
      if (!left.isEmpty()) {
        return;
      }
      users.remove(id(name));
      startups.remove(id(name)); // the next job's wait is its own
    }
    stopLater(id(name));
  }

  private boolean used(String id) {
    synchronized (users) {
      return users.containsKey(id);
    }
  }

  @Override
  public void settled() {
    try {
      instances.all().stream().filter(id -> !used(id)).forEach(this::stopLater);
    } catch (IOException e) {
      LOG.error("instances that an earlier agent started cannot be found", e);
    }
  }

  private String id(String name) {
    Node node = byName.get(name);
    return node == null ? name : node.host();
  }

  private void stopLater(String id) {
    if (!rules.shutdown() || closed || !instances.has(id)) {
      return;
    }
    Thread thread = Thread.ofVirtual().name("stop " + id).unstarted(() -> stop(id));
    stopping.add(thread);
    thread.start();
  }

  private void stop(String id) {
    try {
      while (!closed && !stopped(id)) {
        Thread.sleep(rules.every());
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt(); // the next agent stops it
    } finally {
      stopping.remove(Thread.currentThread());
    }
  }

  /** Whether nothing is left to do: unless a job has come for it meanwhile, it is told to stop. */
  private boolean stopped(String id) {
    ReentrantLock lock = lock(id);
    lock.lock();
    try {
      if (!used(id)) {
        LOG.infof("stopping instance %s: no job uses it", id);
        ec2.stop(id);
        instances.remove(id);
      }
      return true;
    } catch (Ec2Exception e) {
      LOG.warnf("%s; it is tried again", e.getMessage());
      return e.kind() == Ec2Exception.Kind.NOTHING;
    } catch (RuntimeException e) {
      LOG.errorf(e, "instance %s is not stopped; it is tried again", id);
      return false;
    } catch (IOException e) {
      LOG.errorf(e, "that instance %s was started here cannot be forgotten", id);
      return true;
    } finally {
      lock.unlock();
    }
  }

  @Override
  public void close() {
    closed = true;
    stopping.forEach(Thread::interrupt);
    ec2.close();
  }
}
