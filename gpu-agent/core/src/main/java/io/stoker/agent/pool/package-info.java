/**
 * Pools of warm workers: which job goes to which worker, when workers start and end, and what
 * becomes of jobs. Plain Java that does nothing itself; the rules are in docs/pools.md.
 */
package io.stoker.agent.pool;
