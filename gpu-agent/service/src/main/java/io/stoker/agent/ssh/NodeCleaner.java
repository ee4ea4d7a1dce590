package io.stoker.agent.ssh;

import io.stoker.agent.ssh.RunRecords.RunRecord;
import java.io.IOException;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jboss.logging.Logger;

/** Removes what runs that are over left on their nodes, however long it takes to reach them. */
final class NodeCleaner implements AutoCloseable {
  private static final Logger LOG = Logger.getLogger(NodeCleaner.class);

  private final NodeRun.Ways ways;
  private final RunRecords records;
  private final Set<Thread> busy = ConcurrentHashMap.newKeySet();
  private volatile boolean closed;

  NodeCleaner(NodeRun.Ways ways, RunRecords records) {
    this.ways = ways;
    this.records = records;
  }

  /** What may be left of a run. */
  enum Left {
    /** Files that no process has used: not worth a second try. */
    LITTLE,
    FOLDER,
    PERHAPS_PROCESSES
  }

  /** Begins with one. */
  void clean(String run, RunRecord at, String mark, Left left) {
    clean(run, at, mark, left, () -> {});
  }

  /**
   * The same.
   *
   * @param done run when nothing of it is left
   */
  void clean(String run, RunRecord at, String mark, Left left, Runnable done) {
    Thread thread =
        Thread.ofVirtual().name("clean " + run).unstarted(() -> work(run, at, mark, left, done));
    busy.add(thread);
    thread.start();
  }

  private void work(String run, RunRecord at, String mark, Left left, Runnable done) {
    try {
      NodeScripts scripts = new NodeScripts(at.folder(), mark);
      while (!closed && !cleaned(run, at, scripts, left)) {
        Thread.sleep(ways.rules().followEvery());
      }
      if (!closed) {
        delete(run);
        ways.book().remove(run);
        ways.nodes().unused(at.node(), run);
        done.run();
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt(); // the next agent goes on
    } finally {
      busy.remove(Thread.currentThread());
    }
  }

  /** Nothing of the run needs its node, which may cost money, whatever becomes of its record. */
  private void delete(String run) {
    try {
      records.delete(run);
    } catch (IOException e) {
      LOG.errorf(e, "the record of run %s cannot be deleted; the next agent tries again", run);
    }
  }

  private boolean cleaned(String run, RunRecord at, NodeScripts scripts, Left left) {
    try {
      return switch (ways.nodes().find(at.node())) {
        case Nodes.Later later -> false;
        case Nodes.Never(String why, boolean gone) -> {
          LOG.warnf("run %s leaves folder %s on its node: %s", run, at.folder(), why);
          yield gone;
        }
        case Nodes.Ready(Node node) -> {
          clean(ways.links().to(node), scripts, left);
          yield true;
        }
      };
    } catch (LinkException e) {
      LOG.warnf("folder %s on %s is not removed: %s", at.folder(), at.node(), e.getMessage());
      return left == Left.LITTLE;
    } catch (RuntimeException e) {
      // Whatever it is: nobody else gives the node up.
      LOG.errorf(e, "folder %s on %s is not removed", at.folder(), at.node());
      return left == Left.LITTLE;
    }
  }

  private static void clean(Link link, NodeScripts scripts, Left left) throws LinkException {
    if (left == Left.PERHAPS_PROCESSES) {
      link.run(scripts.stop(0, 0, 0));
      link.run(scripts.sweep());
    }
    link.run(scripts.remove());
  }

  @Override
  public void close() {
    closed = true;
    busy.forEach(Thread::interrupt);
  }
}
