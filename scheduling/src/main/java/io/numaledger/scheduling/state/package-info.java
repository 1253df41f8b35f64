/**
 * The state of the cluster: nodes, pods, and what is reserved for pods in flight. Events of the API server come in, in
 * any order; snapshots of nodes go out, built when they are needed. Binds are reserved and ordered here.
 *
 * <h2>Threads</h2>
 *
 * <table>
 * <caption>The threads of the bridge, and the locks that they take</caption>
 * <tr><th>thread</th><th>what it does</th><th>locks</th></tr>
 * <tr><td>one for each watch</td><td>brings the events of one kind of objects, in their order</td>
 *     <td>nodes, claims, requested binds, lost members, queue</td></tr>
 * <tr><td>those of requests</td><td>{@code filter}, {@code prioritize}, {@code preempt}; parts of a large call on the common pool</td>
 *     <td>gang, queue, nodes, claims</td></tr>
 * <tr><td>{@code bridge-bind}</td><td>{@code bind}</td><td>gang, nodes, claims</td></tr>
 * <tr><td>{@code bridge-clock}, {@code -gangs}, {@code -queue}, {@code -reporter}</td>
 *     <td>ends of what is over; retries of gangs; checks of pending pods; reports. None calls the API server</td>
 *     <td>checks of the queue, queue, gang, lost members, nodes</td></tr>
 * <tr><td>{@code bridge-write-events}, {@code bridge-write-requeues}</td><td>writes that nobody waits for</td><td>queue</td></tr>
 * <tr><td>one that builds</td><td>{@link io.numaledger.scheduling.state.SnapshotRefresh}</td><td>nodes</td></tr>
 * <tr><td>one that plans</td><td>gated groups; their state belongs to this thread and has no lock</td><td>nodes, claims</td></tr>
 * <tr><td>{@code bridge-evictor}, {@code -healer}, {@code -claims}, {@code -binds}</td>
 *     <td>eviction for zones; healing; kept claims; binds without an answer. Each waits for its own calls, and has its own state</td>
 *     <td>queue, nodes</td></tr>
 * <tr><td>one that counts</td><td>stranded capacity</td><td>stranded capacity, nodes</td></tr>
 * <tr><td>those of the bridge's API</td><td>NumaNodes, explanations, moves</td><td>API, stranded capacity, nodes, claims</td></tr>
 * <tr><td>probes, {@code bridge-scrape}</td><td>{@code /healthz}, {@code /readyz}, {@code /metrics}</td><td>none of these</td></tr>
 * </table>
 *
 * <h2>Locks</h2>
 *
 * A thread that holds a lock takes only locks that stand further down in this table. Under those from {@code PendingPodQueue.checking} on,
 * nothing calls the API server, and nothing waits for another thread but for parts of an evaluation on the common pool.
 *
 * <table>
 * <caption>The locks, in the order in which a thread may take them</caption>
 * <tr><th>lock</th><th>guards</th><th>evaluates under it</th></tr>
 * <tr><td>{@code Election}</td><td>the Lease, with the calls for it; only the thread of the leader election takes it</td><td>no</td></tr>
 * <tr><td>{@code Leadership.binding}</td><td>shared by all binds, each with its write; who stops to lead waits for them</td>
 *     <td>yes: binds</td></tr>
 * <tr><td>{@code PendingPodQueue.checking}</td><td>one check of pending pods at a time; no {@code filter} call takes it</td>
 *     <td>yes: pending pods</td></tr>
 * <tr><td>{@code Gang}</td><td>the plans of one group of kube-scheduler; calls for other pods do not take it</td>
 *     <td>yes: the group's plan</td></tr>
 * <tr><td>{@code NodeResourceVersions}, {@code CachedMoves.Answers}</td><td>what callers of the bridge's API get</td><td>yes: for the API</td></tr>
 * <tr><td>{@code StrandedCapacity}</td><td>counts of nodes; metrics read the last report without it</td><td>yes: reference pods</td></tr>
 * <tr><td>{@code LostMembers}</td><td>places of lost pods of groups</td><td>no</td></tr>
 * <tr><td>{@code PendingPodQueue}</td><td>pending pods; each {@code filter} call takes it</td><td>no</td></tr>
 * <tr><td>{@code RequestedBinds}</td><td>pods that another scheduler is about to bind</td><td>no</td></tr>
 * <tr><td>{@code ClusterNode}</td><td>one node: objects, pods, reservations, possible states</td>
 *     <td>yes: one pod that is bound to the node, and the snapshots of the node</td></tr>
 * <tr><td>{@code MisalignedBinds}</td><td>binds that were refused for their devices</td><td>no</td></tr>
 * <tr><td>{@code ClusterClaims}</td><td>devices and claims; listeners are called after it</td>
 *     <td>no; reads the devices of one node</td></tr>
 * <tr><td>{@code ClassCopies}</td><td>what is known of equal pods</td><td>yes: one class of nodes by the fast path</td></tr>
 * <tr><td>{@code NominatedPods}, {@code PredictionAudit}, {@code BindOrder}, {@code NodePools}, {@code SlotCache},
 *     {@code ResourceIndex}, and maps of recent requests</td><td>their own data</td><td>no</td></tr>
 * <tr><td>{@code NodeVersions}</td><td>versions and slots of nodes</td><td>no</td></tr>
 * <tr><td>{@code ClusterChanges}</td><td>how many changes there were; conditions are tested without it</td><td>no</td></tr>
 * </table>
 *
 * <p>A {@code filter} call takes a node's lock only if the node has changed since its snapshot, or what is used of it, was last read. Nodes and
 * gangs are in concurrent maps. One that is taken from its map may have been removed before it is used: whoever changes it looks under its lock
 * whether it was, and then takes the next one of that name.
 */
@NullMarked
package io.numaledger.scheduling.state;

import org.jspecify.annotations.NullMarked;
