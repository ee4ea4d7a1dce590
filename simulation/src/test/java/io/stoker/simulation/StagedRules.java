package io.stoker.simulation;

import static io.stoker.simulation.Must.hold;

import com.fasterxml.jackson.databind.JsonNode;
import io.stoker.agent.attempt.AttemptKey;
import io.stoker.agent.attempt.JournalEntry;
import io.stoker.agent.attempt.JournalEntry.Staged;
import io.stoker.agent.gate.GateRules;
import io.stoker.agent.staged.Stage;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * What must hold of how an agent leads staged attempts through their stages. Knows what was ever on
 * one disk.
 */
final class StagedRules {
  private final World world;
  private final String machine;

  /** Where each attempt stands that has not ended. */
  private final Map<AttemptKey, Staged> stands = new HashMap<>();

  /** Where each stood when the agent began what it does now, and since then. */
  private final Map<AttemptKey, List<Staged>> since = new HashMap<>();

  StagedRules(World world, String machine) {
    this.world = world;
    this.machine = machine;
  }

  /** The agent has done all that it had decided. */
  void done() {
    since.clear();
    stands.forEach((key, one) -> since.put(key, new ArrayList<>(List.of(one))));
  }

  /** An agent decides that a process goes on, or that there is to be one. */
  void decides(JournalEntry entry) {
    if (entry instanceof Staged next && next.stage() == Stage.AVAILABLE && next.starts() == 1) {
      AttemptKey key = key(next);
      boolean isNew = !stands.containsKey(key);
      long waiting = stands.values().stream().filter(one -> one.stage().waits()).count();
      int most = gates().maxWaiting();
      world.check(
          () ->
              hold(
                  !isNew || most == 0 || waiting < most,
                  "%s is to start on %s, where %s wait of at most %s",
                  key,
                  machine,
                  waiting,
                  most));
    }
  }

  /** An entry is in the journal. */
  void wrote(JournalEntry entry) {
    switch (entry) {
      case Staged next -> {
        stands.put(key(next), next);
        since.computeIfAbsent(key(next), first -> new ArrayList<>()).add(next);
        world.check(
            () ->
                hold(
                    next.stage().trains() || next.device() == null,
                    "%s is %s on %s, and keeps device %s",
                    key(next),
                    next.stage(),
                    machine,
                    next.device()));
      }
      case JournalEntry.Ended end ->
          stands.remove(new AttemptKey(end.report().job(), end.report().attempt()));
      default -> {}
    }
  }

  /** An entry went with the power, and with it the process of its attempt. */
  void lost(JournalEntry entry) {
    if (entry instanceof Staged gone) {
      stands.remove(key(gone));
      since.remove(key(gone));
    }
  }

  /** A process is told something. */
  void tells(AttemptKey key, JsonNode command) {
    List<Staged> now = since.getOrDefault(key, List.of());
    world.check(
        () ->
            hold(
                now.stream().anyMatch(stage -> saysSo(stage, command)),
                "%s is told %s on %s, and its journal says %s",
                key,
                command,
                machine,
                now));
  }

  private static boolean saysSo(Staged stage, JsonNode command) {
    boolean loads = command.path("do").asText().equals("load");
    String device = stage.device() == null ? "cpu" : "cuda:" + stage.sees().indexOf(stage.device());
    return stage.command() == command.path("n").asInt()
        && stage.stage() == (loads ? Stage.LOADING : Stage.TRAINING)
        && (loads || device.equals(command.path("device").asText()));
  }

  /** A process begins. */
  void begins(Machine where) {
    long processes =
        where
            .alive()
            .filter(run -> run.staged.isPresent() && stands.containsKey(Machine.key(run)))
            .count();
    int most = gates().maxProcess();
    hold(
        most == 0 || processes <= most,
        "%s staged processes are on %s, of at most %s",
        processes,
        machine,
        most);
  }

  private GateRules gates() {
    return world.staging.orElseThrow().gates();
  }

  private static AttemptKey key(Staged entry) {
    return new AttemptKey(entry.job(), entry.attempt());
  }
}
