package io.stoker.dispatcher.experiment;

import io.stoker.dispatcher.experiment.ExperimentRules.Tally;

/** A group with a plan, and where its requests stand. */
public record Progress(ExperimentRow row, Tally tally) {}
