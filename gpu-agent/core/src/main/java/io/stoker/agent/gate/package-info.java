/**
 * Whether a host can bear one more start, load or training: pure decisions from figures, each
 * refusal with its own.
 */
package io.stoker.agent.gate;
