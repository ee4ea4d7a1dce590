package io.stoker.agent.runner;

import io.stoker.agent.spawn.OwnProcess;
import java.io.FileInputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;

/** A process of its own that takes all file descriptors it may have, and then looks at another. */
final class OutOfDescriptors {
  private OutOfDescriptors() {}

  /**
   * @param arguments pid of a process that runs, and of one that is gone
   */
  public static void main(String[] arguments) {
    OwnProcess living = OwnProcess.of(Long.parseLong(arguments[0]));
    OwnProcess gone = new OwnProcess(Long.parseLong(arguments[1]), 1);
    // Once before, so that nothing is left to load.
    look(living, gone);
    List<FileInputStream> taken = takeAll();
    System.out.println(look(living, gone));
    System.out.println(taken.isEmpty() ? "nothing was taken" : "");
  }

  private static List<FileInputStream> takeAll() {
    List<FileInputStream> taken = new ArrayList<>();
    try {
      while (true) {
        taken.add(new FileInputStream("/dev/null"));
      }
    } catch (IOException e) {
      return taken;
    }
  }

  private static String look(OwnProcess living, OwnProcess gone) {
    return "living %s, gone %s, scan %s, children %s"
        .formatted(
            alive(living),
            alive(gone),
            new ProcessScan(RunnerFixture.OWNER).scan().complete() ? "whole" : "not whole",
            children());
  }

  private static String alive(OwnProcess process) {
    try {
      return process.alive() ? "alive" : "gone";
    } catch (UncheckedIOException e) {
      return "unreadable";
    }
  }

  private static String children() {
    try {
      return "known " + ProcessScan.children(ProcessHandle.current().pid()).size();
    } catch (UncheckedIOException e) {
      return "unreadable";
    }
  }
}
