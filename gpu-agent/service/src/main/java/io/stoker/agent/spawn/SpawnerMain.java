package io.stoker.agent.spawn;

import com.sun.jna.Native;
import io.stoker.agent.device.CpuSet;
import java.io.BufferedInputStream;
import java.io.DataInputStream;
import java.io.File;
import java.io.FileDescriptor;
import java.io.FileInputStream;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Path;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Main class of the spawner process. Its arguments: the agent's data folder, absolute; what tells
 * this agent's runs from another's; {@link #GAINS} if jobs may gain rights.
 */
public final class SpawnerMain {
  /** Makes the agent's own executable this one, where there is no JVM to run a class of it. */
  public static final String ARGUMENT = "spawner";

  /** Lets jobs become another user by programs that are meant for that. */
  public static final String GAINS = "gains";

  /** A variable in the environment of spawners, and of nobody else. */
  public static final String VARIABLE = "STOKER_SPAWNER";

  /** The line that it says first, once it can take orders. */
  public static final String READY = "ready";

  private SpawnerMain() {}

  /** All that this process needs: a small part of the agent's own class path. */
  public static String classPath() {
    return Stream.of(SpawnerMain.class, CpuSet.class, Native.class)
        .map(SpawnerMain::location)
        .distinct()
        .collect(Collectors.joining(File.pathSeparator));
  }

  private static String location(Class<?> type) {
    String place = type.getProtectionDomain().getCodeSource().getLocation().toString();
    return Path.of(URI.create(place)).toString();
  }

  public static void main(String[] arguments) throws IOException, InterruptedException {
    Subreaper.adopt();
    Path data = Path.of(arguments[0]);
    if (arguments.length < 3 || !arguments[2].equals(GAINS)) {
      Rights.gainNone(); // on the thread that starts them
    }
    Replies replies = new Replies();
    Spawner spawner = new Spawner(data, arguments[1], replies);
    Descriptors.keep();
    Thread.ofPlatform().daemon().name("reaper").start(spawner::reap);
    replies.say(READY);
    spawner.work(
        new DataInputStream(new BufferedInputStream(new FileInputStream(FileDescriptor.in))));
    Runtime.getRuntime().halt(0);
  }
}
