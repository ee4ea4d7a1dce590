package io.stoker.agent.ssh;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;

/** What is asked of a node for one run; one link at a time. */
final class NodeSession {
  private final Link link;
  private final String folder;
  private final NodeScripts scripts;
  private final Mirror mirror;

  NodeSession(Link link, String folder, NodeScripts scripts, Mirror mirror) {
    this.link = link;
    this.folder = folder;
    this.scripts = scripts;
    this.mirror = mirror;
  }

  /** Lays out the run's folder and copies its files. */
  void prepare(Order order) throws LinkException, IOException {
    link.run(scripts.prepare(order));
    for (Path file : order.files()) {
      try (InputStream in = Files.newInputStream(file)) {
        String target =
            folder + "/" + NodeFiles.SCRATCH + "/" + NodeFiles.name(file.getFileName().toString());
        link.put(in, Files.size(file), target, Files.isExecutable(file));
      }
    }
  }

  Look start() throws LinkException, IOException {
    return take(link.run(scripts.start(mirror.stdoutSize(), mirror.stderrSize())));
  }

  Look look() throws LinkException, IOException {
    return take(link.run(scripts.look(mirror.stdoutSize(), mirror.stderrSize())));
  }

  Look stop(long graceMs) throws LinkException, IOException {
    return take(link.run(scripts.stop(graceMs, mirror.stdoutSize(), mirror.stderrSize())));
  }

  Look sweep() throws LinkException, IOException {
    link.run(scripts.sweep());
    return look();
  }

  private Look take(byte[] answer) throws LinkException, IOException {
    Look look = Look.parse(answer, mirror.stdoutSize(), mirror.stderrSize());
    mirror.add(look);
    return look;
  }
}
