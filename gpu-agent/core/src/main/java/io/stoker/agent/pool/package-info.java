/**
 * Pools of warm workers: which job goes to which worker, when workers start and end, and what
 * becomes of jobs. Plain Java that does nothing itself; the rules are in docs/pools.md.
 *
 * <p>{@link io.stoker.agent.pool.Pool} is told what happens. {@code Slots} are the workers' places,
 * {@code Assignments} which task is whose, {@code WorkerProcesses} starts and ends them, {@code
 * StartBackoff} knows whether any can be had, {@code Autoscaler} how many there should be, {@code
 * PoolLifecycle} whether the pool takes tasks, and {@code TaskCounts} what became of them.
 */
package io.stoker.agent.pool;
