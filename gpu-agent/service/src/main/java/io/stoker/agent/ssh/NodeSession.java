package io.stoker.agent.ssh;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;

/** Asks a node for one run; one link at a time. */
record NodeSession(Link link, String folder, NodeScripts scripts, OutputSync sync) {
  /** Lays out the run's folder and copies its files. */
  void prepare(Order order) throws LinkException, IOException {
    link.run(scripts.prepare(order));
    for (Path file : order.care().files()) {
      try (InputStream in = Files.newInputStream(file)) {
        String target =
            folder + "/" + NodeFiles.SCRATCH + "/" + NodeFiles.name(file.getFileName().toString());
        link.put(in, Files.size(file), target, Files.isExecutable(file));
      }
    }
  }

  Look start() throws LinkException, IOException {
    return take(link.run(scripts.start(sync.stdoutSize(), sync.stderrSize())));
  }

  Look look() throws LinkException, IOException {
    return take(link.run(scripts.look(sync.stdoutSize(), sync.stderrSize())));
  }

  Look stop(long graceMs) throws LinkException, IOException {
    return take(link.run(scripts.stop(graceMs, sync.stdoutSize(), sync.stderrSize())));
  }

  Look sweep() throws LinkException, IOException {
    link.run(scripts.sweep());
    return look();
  }

  private Look take(byte[] answer) throws LinkException, IOException {
    Look look = Look.parse(answer, sync.stdoutSize(), sync.stderrSize());
    sync.add(look);
    return look;
  }
}
