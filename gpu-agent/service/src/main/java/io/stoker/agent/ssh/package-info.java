/**
 * Runs jobs on other machines by SSH. A job is detached on its node: it writes its output and its
 * exit code into a folder there, and goes on whatever becomes of the link or of this agent.
 */
package io.stoker.agent.ssh;
