package io.stoker.agent.disk;

import io.stoker.agent.attempt.AttemptKey;
import io.stoker.agent.attempt.Input;
import io.stoker.agent.attempt.Input.DiskSample;
import io.stoker.agent.attempt.Part;
import io.stoker.agent.runner.RunFolders;
import io.stoker.agent.spawn.Reserve;
import io.stoker.common.life.Vital;
import io.stoker.common.size.ByteSize;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.jboss.logging.Logger;

/**
 * Looks after what runs leave on the disk, on a thread of its own: measures what those that run
 * have written, if that is limited, removes the folders of those that have ended, and says when
 * there is too little room for more.
 */
public final class DiskWatch implements AutoCloseable {
  private static final Logger LOG = Logger.getLogger(DiskWatch.class);

  private static final String CANNOT = "its data folder cannot be written: ";

  private final Path data;
  private final Rules rules;
  private final Reserve reserve;
  private final Agents agent;
  private final ScheduledExecutorService thread = Vital.clock("disk", 1);
  private boolean full;
  private Optional<String> shortage = Optional.empty();

  /** What it asks and tells the agent. */
  public interface Agents {
    /** Names of the runs that have begun, here or elsewhere. */
    List<String> running();

    /** Attempts that have ended and that the dispatcher has not closed, with when they ended. */
    Map<AttemptKey, Long> ended();

    /** Deletes what an ended one left. */
    void remove(AttemptKey key);

    void tell(Input input);
  }

  /**
   * What it goes by.
   *
   * @param keepMs how long folders stay after the dispatcher has closed their attempts
   * @param free bytes that are to stay free
   * @param floor below which the host takes nothing new
   * @param quotas whether runs are limited to sizes in what they write
   * @param share to which they are limited besides
   */
  public record Rules(long keepMs, long free, DiskFloor floor, boolean quotas, JobShare share) {}

  /**
   * @param reserve made again when there is room for it
   */
  public DiskWatch(Path data, Rules rules, Reserve reserve, Agents agent) {
    this.reserve = reserve;
    this.data = data;
    this.rules = rules;
    this.agent = agent;
  }

  /** Looks from now on, as often as this. */
  public void start(long everyMs) {
    thread.scheduleWithFixedDelay(this::tryLook, 0, everyMs, TimeUnit.MILLISECONDS);
  }

  private void tryLook() {
    try {
      look();
    } catch (IOException | RuntimeException e) {
      LOG.warn("the disk could not be looked at; the next look tries again", e);
    }
  }

  void look() throws IOException {
    long free = data.toFile().getUsableSpace();
    if (rules.quotas || rules.share.canBeExceeded(data.toFile().getTotalSpace(), free)) {
      measure(free);
    }
    clean(System.currentTimeMillis(), free);
    judge(data.toFile().getUsableSpace());
    if (shortage.isEmpty()) {
      reserve.fill(data.toFile().getUsableSpace());
    }
  }

  /** Tells whether there is room for anything new; at each look, since others find out, too. */
  void judge(long free) {
    shortage =
        rules.floor.judge(shortage.filter(why -> !why.startsWith(CANNOT)), free).or(this::probe);
    agent.tell(new Input.PartJudged(Part.DISK, shortage));
  }

  private Optional<String> probe() {
    try {
      Probe.write(data);
      return Optional.empty();
    } catch (IOException e) {
      return Optional.of(CANNOT + e.getMessage());
    }
  }

  private void measure(long free) {
    Map<String, DiskSample> runs = new HashMap<>();
    for (String run : agent.running()) {
      Path folder = RunFolders.of(data, run);
      long all = FolderSize.of(folder);
      long logs = RunFolders.outputs(folder).mapToLong(File::length).sum();
      runs.put(run, new DiskSample(logs, Math.max(0, all - logs)));
    }
    if (!runs.isEmpty()) {
      agent.tell(new Input.DiskSampled(runs, most(runs, free)));
    }
  }

  /** What one may have written; without a limit where sizes of files would say too much. */
  private OptionalLong most(Map<String, DiskSample> runs, long free) {
    long held = runs.values().stream().mapToLong(DiskSample::all).sum();
    long total = data.toFile().getTotalSpace();
    // Of files with holes the sizes are more than what they take.
    boolean holes = held > total - free;
    return rules.share.limited() && !holes
        ? OptionalLong.of(rules.share.of(total, free, held))
        : OptionalLong.empty();
  }

  void clean(long now, long free) throws IOException {
    Map<String, AttemptKey> open = new HashMap<>();
    List<Cleanup.Folder> folders = new ArrayList<>();
    try (Stream<Path> aside = Files.list(RunFolders.aside(data))) {
      for (Path folder : aside.toList()) {
        long since = Files.getLastModifiedTime(folder).toMillis();
        folders.add(new Cleanup.Folder(folder.getFileName().toString(), since, true));
      }
    }
    if (free < rules.free) {
      agent
          .ended()
          .forEach(
              (key, at) -> {
                open.put(key.toString(), key);
                folders.add(new Cleanup.Folder(key.toString(), at, false));
              });
    }
    List<Cleanup.Folder> gone =
        Cleanup.decide(folders, new Cleanup.Rules(rules.keepMs, rules.free), now, free, this::size);
    for (Cleanup.Folder folder : gone) {
      if (folder.closed()) {
        RunFolders.delete(RunFolders.aside(data).resolve(folder.name()).toFile());
      } else {
        agent.remove(open.get(folder.name()));
      }
    }
    tell(free, gone.size());
  }

  private long size(Cleanup.Folder folder) {
    return FolderSize.of(
        folder.closed()
            ? RunFolders.aside(data).resolve(folder.name())
            : RunFolders.of(data, folder.name()));
  }

  /** Once each time it fills up. */
  private void tell(long free, int removed) {
    boolean before = full;
    full = free < rules.free;
    if (full && !before) {
      LOG.warnf(
          "%s free where %s is, and %s are to stay free: %d folders of ended runs are removed",
          ByteSize.text(free), data, ByteSize.text(rules.free), removed);
    }
  }

  @Override
  public void close() {
    thread.shutdownNow();
  }
}
