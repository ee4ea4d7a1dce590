package io.stoker.agent.attempt;

import com.fasterxml.jackson.databind.JsonNode;
import io.stoker.agent.device.Allocation;
import io.stoker.common.message.AttemptEvent;
import io.stoker.common.message.ToAgent.Place;
import io.stoker.common.message.Workload;
import java.util.List;
import java.util.Optional;

/**
 * An effect of a decision. Effects are carried out in order: an entry is in the journal before
 * anything that follows it happens, and before anybody hears of it.
 */
public sealed interface Effect {
  record Journal(JournalEntry entry) implements Effect {}

  /**
   * Start the attempt's process.
   *
   * @param allocation the devices that it may see
   * @param starts which of its processes it is, from 1
   */
  record Launch(Place place, Allocation allocation, int starts) implements Effect {}

  /** Tell the process of a staged attempt, in a line. */
  record Tell(AttemptKey key, JsonNode command) implements Effect {}

  /**
   * Start a worker of a pool.
   *
   * @param process what it is started as
   */
  record StartWorker(WorkerKey key, Workload.Process process, Allocation allocation)
      implements Effect {}

  /** Tell a worker something, in a line. */
  record TellWorker(WorkerKey key, JsonNode line) implements Effect {}

  /** Say when everything sent before is on disk and told, of an attempt that a worker has run. */
  record AwaitDelivery(AttemptKey key) implements Effect {}

  /** Nothing more comes of a staged attempt, whose log stays open from process to process. */
  record CloseLog(AttemptKey key) implements Effect {}

  /**
   * Find out what became of a run of an earlier agent, and follow it.
   *
   * @param starts which of its attempt's processes it is, from 1
   */
  record Adopt(Place place, Optional<RunProcess> process, int starts) implements Effect {}

  /**
   * Read what an ended run has written, tell what of it the broker may not have, and say so. An
   * earlier agent saw its end.
   *
   * @param request whose output it is
   */
  record Retell(AttemptKey key, String request) implements Effect {}

  /** End every process of the run, and make sure that none starts. */
  record Kill(RunKey key, long graceMs) implements Effect {}

  /**
   * Tell the dispatcher, until the broker has it.
   *
   * @param token that signs the event
   * @param mayWait whether it is a step that its end, if that comes soon, makes needless
   */
  record Send(AttemptEvent event, String token, boolean mayWait) implements Effect {
    public Send(AttemptEvent event, String token) {
      this(event, token, false);
    }
  }

  record DeadLetter(ReceivedRecord raw, String reason) implements Effect {}

  /**
   * Ask for an epoch.
   *
   * @param answer to what the dispatcher has asked this nonce, if it has
   */
  record SayHello(String nonce, Optional<String> answer) implements Effect {}

  record SayHeartbeat(long epoch, long n, long sentBootMs) implements Effect {}

  record SayInventory(long epoch, long n) implements Effect {}

  record SayGoodbye(long epoch) implements Effect {}

  /** Let the watchdog kill at this time of CLOCK_BOOTTIME, in ms, and not before. */
  record MoveDeadline(long bootMs) implements Effect {}

  /** See to it that the devices are free of the run's leftovers, then say so. */
  record Clean(RunKey key, List<String> devices) implements Effect {}

  /**
   * Look for the devices of a list, and say what was found.
   *
   * @param list empty = the configured one
   */
  record FindDevices(Optional<String> list) implements Effect {}

  /** Delete what the run left on disk. */
  record RemoveRun(RunKey key) implements Effect {}

  /** Tell people, in the log. */
  record Note(String sentence) implements Effect {}

  /** Nothing is left to do: the agent may exit. */
  record Stopped() implements Effect {}
}
