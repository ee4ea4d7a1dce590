package io.stoker.agent.loop;

import com.fasterxml.jackson.databind.JsonNode;
import io.stoker.agent.attempt.AttemptKey;
import io.stoker.agent.attempt.RunKey;
import io.stoker.agent.attempt.RunProcess;
import io.stoker.agent.attempt.ToldBefore;
import io.stoker.agent.attempt.WorkerKey;
import io.stoker.agent.device.Allocation;
import io.stoker.common.message.ToAgent.Place;
import io.stoker.common.message.Workload;
import java.util.List;
import java.util.Optional;

/**
 * The port to what runs on a host, and on other machines that it serves; its events come as inputs.
 * One thread, the agent's.
 */
public interface Runs {
  /**
   * Starts a run, or another process of a staged one that has ended.
   *
   * @param starts which of the attempt's processes it is, from 1
   */
  void launch(Place place, Allocation allocation, int starts);

  /**
   * Finds out what became of a run of an earlier agent, and follows it.
   *
   * @param known its process, if that was journaled
   * @param starts which of the attempt's processes it is, from 1
   */
  void adopt(Place place, Optional<RunProcess> known, int starts);

  /** Ends a run; its end is told when nothing of it is left. */
  void kill(RunKey key, long graceMs);

  /** Deletes what an ended run left. */
  void remove(RunKey key);

  /** Says what of a run's output was told before; comes before it is adopted or read again. */
  void toldBefore(AttemptKey key, ToldBefore told);

  /** Reads what an ended run has written, tells what of it the broker may not have, and says so. */
  void retell(AttemptKey key, String request);

  /** Tells the process of a staged attempt, in a line. */
  void tell(AttemptKey key, JsonNode command);

  /** Nothing more comes of a staged attempt, whose log stays open from process to process. */
  void closeLog(AttemptKey key);

  /**
   * Starts a worker of a pool.
   *
   * @param process what it is started as
   */
  void startWorker(WorkerKey key, Workload.Process process, Allocation allocation);

  /** Tells a worker something, each thing in a line, all in one write. */
  void tellWorker(WorkerKey key, List<JsonNode> lines);

  /**
   * Says that an attempt is over which a worker of an earlier agent ran: what that agent left and
   * nobody can talk to was ended before anything else.
   */
  void lost(AttemptKey key);
}
