/**
 * Staged jobs: one process that loads and trains when it is told to, and keeps what it has loaded
 * while it waits for a device. Pure decisions; the attempt's rules carry them out.
 */
package io.stoker.agent.staged;
