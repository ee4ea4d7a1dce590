package io.stoker.simulation;

import static io.stoker.simulation.SimStatements.statement;

import io.smallrye.mutiny.Uni;
import io.stoker.dispatcher.model.JobRow;
import io.stoker.dispatcher.store.JobLock;
import io.stoker.dispatcher.store.Jobs;
import java.util.Collection;
import java.util.List;

/** The table of jobs. */
record SimJobs(SimTransaction tx) implements Jobs {
  @Override
  public Uni<List<JobRow>> read(Collection<String> ids) {
    return statement(() -> tx.readJobs(ids));
  }

  @Override
  public Uni<List<JobRow>> lockShared(Collection<String> ids) {
    return statement(() -> tx.shareJobs(ids));
  }

  @Override
  public Uni<Locked> lockByFingerprint(Collection<String> fingerprints, JobLock how) {
    return statement(() -> new Locked(tx.now(), tx.lockByFingerprint(fingerprints, how), how));
  }

  @Override
  public Uni<List<JobRow>> lockHolders(Collection<String> fingerprints) {
    return statement(() -> tx.lockHolders(fingerprints));
  }
}
