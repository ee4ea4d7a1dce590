package io.stoker.agent.runner;

import java.nio.file.Path;

/**
 * The files of one run that its job is told of.
 *
 * @param params JSON object
 * @param result where the job may write its result
 * @param dependencies JSON array of ids and results
 * @param group JSON object of the group's configuration
 */
public record RunFiles(Path params, Path result, Path dependencies, Path group) {}
