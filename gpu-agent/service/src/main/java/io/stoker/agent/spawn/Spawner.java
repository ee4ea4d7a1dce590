package io.stoker.agent.spawn;

import java.io.DataInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;

/**
 * The parent of all jobs, in a process of its own: reads {@link Order}s, starts them, and says what
 * becomes of them, to the agent that asked and in their state files for one that comes later. When
 * its agent is gone it goes on until its last job has ended.
 *
 * <p>Replies, one line each:
 *
 * <ul>
 *   <li>{@code s <run> <pid> <start ticks>} the process exists; start ticks 0 if it is gone already
 *   <li>{@code x <run> <exit code> <0|1> <cpu µs> <peak bytes>} it has ended, 128 + signal if
 *       killed; 1 if it is certain that no process is left of it; then what it took, peak 0 if that
 *       is not known; neither if it never began
 *   <li>{@code r <run> <why>} it was not started, and will not be
 *   <li>{@code c <run>} another spawner had it
 * </ul>
 */
final class Spawner implements Ended.Taker {
  private static final int CANNOT_EXECUTE = 126;

  /**
   * Of the disk EIO, ENOSPC, EROFS and EDQUOT; of processes, memory and files EAGAIN, ENOMEM,
   * ENFILE and EMFILE: not the job's fault.
   */
  private static final Set<Integer> HOST_ERRORS = Set.of(5, 28, 30, 122, 11, 12, 23, 24);

  /** After the last job, for a disk that is full. */
  private static final long MOST_FOR_NOTES_MS = 600_000;

  private final Path runs;
  private final String owner;
  private final StateNotes notes;
  private final Permission permission;
  private final Replies replies;
  private final Spawn spawn = new Spawn();
  private final Map<Long, Child> children = new HashMap<>();

  private record Child(String run, StateFile state) {}

  /**
   * @param data the agent's data folder, absolute
   * @param owner what tells this agent's runs from another's
   */
  Spawner(Path data, String owner, Replies replies) throws IOException {
    this.owner = owner;
    this.runs = data.resolve("runs");
    this.notes = new StateNotes(data);
    this.permission = new Permission(data);
    this.replies = replies;
  }

  /** Starts what is asked for until nobody can ask any more and all of it has ended. */
  void work(DataInputStream orders) throws IOException, InterruptedException {
    try {
      while (true) {
        take(Order.read(orders));
      }
    } catch (EOFException e) {
      awaitEnd();
    }
  }

  private void awaitEnd() throws InterruptedException {
    synchronized (this) {
      while (!children.isEmpty()) {
        wait();
      }
    }
    notes.await(MOST_FOR_NOTES_MS);
  }

  private void take(Order order) {
    try {
      Optional<StateFile> state = StateFile.claim(runs.resolve(order.run()));
      if (state.isEmpty()) {
        replies.say("c " + order.run());
      } else {
        begin(order, state.get());
      }
    } catch (IOException e) {
      replies.say("r " + order.run() + " its run folder cannot be used: " + e.getMessage());
    }
  }

  private void begin(Order order, StateFile state) throws IOException {
    // The work folder first: a file server that does not answer may keep this one there for as long
    // as it likes, and what was allowed before that may not be any more.
    boolean entered = Libc.chdir(Texts.one(order.workdir())) == 0;
    Optional<String> refusal = permission.refusalThisTick();
    if (refusal.isPresent()) {
      Libc.chdir(Texts.one("/"));
      refuse(state, refusal.get());
      replies.say("r " + order.run() + " " + refusal.get());
      return;
    }
    Path folder = runs.resolve(order.run());
    if (state.givenUp()) {
      Libc.chdir(Texts.one("/"));
      replies.say("c " + order.run());
      return;
    }
    if (!entered) {
      fail(order, state, "its work folder " + order.workdir() + " cannot be entered");
      return;
    }
    int error = start(order, state, folder);
    Libc.chdir(Texts.one("/"));
    if (ofTheHost(error)) {
      String why = Failure.SHORT + Subreaper.error(error);
      refuse(state, why);
      replies.say("r " + order.run() + " " + why);
    } else if (error != 0) {
      fail(order, state, order.program() + ": " + Subreaper.error(error));
    }
  }

  /**
   * Under the lock, so that an end is not looked at before its beginning is known, and that no file
   * which the other thread has open is given to the process.
   */
  private synchronized int start(Order order, StateFile state, Path folder) throws IOException {
    Spawn.Outcome outcome = spawn.start(order, folder, RunTag.of(owner, order.run()));
    if (outcome.error() == 0) {
      OwnProcess process = OwnProcess.begun(outcome.pid());
      children.put(process.pid(), new Child(order.run(), state));
      notes.line(state, process.pid() + " " + process.startTicks());
      replies.say("s " + order.run() + " " + process.pid() + " " + process.startTicks());
      notifyAll();
    }
    return outcome.error();
  }

  /** Whether a start that fails so says nothing of the job: others find no room there either. */
  static boolean ofTheHost(int error) {
    return HOST_ERRORS.contains(error);
  }

  private void refuse(StateFile state, String why) {
    notes.line(state, "refused " + why.replace('\n', ' '));
  }

  /** The kernel would not run it: it ends as a shell that cannot run a program does. */
  private void fail(Order order, StateFile state, String why) throws IOException {
    Files.writeString(
        runs.resolve(order.run()).resolve("stderr"),
        Failure.MARK + why + "\n",
        StandardCharsets.UTF_8,
        StandardOpenOption.CREATE,
        StandardOpenOption.APPEND);
    refuse(state, Failure.MARK + why);
    replies.say("x " + order.run() + " " + CANNOT_EXECUTE + " 1");
  }

  /** Waits for ends, for ever; on a thread of its own. */
  void reap() {
    Ended ended = new Ended();
    try {
      while (true) {
        awaitChild();
        ended.await(this);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private synchronized void awaitChild() throws InterruptedException {
    while (children.isEmpty()) {
      wait();
    }
  }

  @Override
  public synchronized void over(long pid, int exitCode) {
    Child child = children.get(pid);
    if (child == null) {
      return; // left behind by a job
    }
    // Who reads the orders may hear of the agent's end later than this one.
    if (notes.line(child.state(), Integer.toString(exitCode)) && Pipes.stdinIsOver()) {
      keep(child.state());
    }
  }

  /** An agent forces what it hears; until the next one comes nobody else would. */
  private static void keep(StateFile state) {
    try {
      state.keep();
    } catch (IOException e) {
      // After a loss of power it is not certain then: the run counts as lost.
    }
  }

  /** Under the lock: a start that got the same number meanwhile would be taken for this one. */
  @Override
  public synchronized void gone(long pid, int exitCode, Supplier<Rusage> forget) {
    Rusage usage = forget.get();
    Child child = children.remove(pid);
    if (child != null) {
      int clean = Subreaper.none() ? 1 : 0;
      replies.say("x " + child.run() + " " + exitCode + " " + clean + " " + usage.words());
      notifyAll();
    }
  }
}
