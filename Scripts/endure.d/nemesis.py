"""What goes wrong while jobs go through: one thread has the workers in hand, another one Redis, a third one the callbacks.

Each fault begins and ends as an event of the history. A fault of Redis begins only when the group is whole again, because two
at once may lose what was acknowledged (docs/queue.md says so).
"""

import signal
import threading

from harness import wait_until


class Nemesis:
    def __init__(self, fleet, history, receiver, random):
        self.fleet, self.history, self.receiver, self.random = fleet, history, receiver, random
        self.is_over = threading.Event()
        self.threads = [threading.Thread(target=self.run, args=arguments) for arguments in (
            (self.worker_faults, (3, 9), lambda: None), (self.redis_faults, (6, 14), fleet.wait_until_whole),
            (self.callback_faults, (20, 40), lambda: None))]
        self.failure = None

    def start(self):
        for thread in self.threads:
            thread.start()

    def stop(self):
        """Returns when all faults have ended."""
        self.is_over.set()
        for thread in self.threads:
            thread.join()
        self.fleet.wait_until_whole()
        if self.failure:
            raise self.failure

    def run(self, faults, pause, prepare):
        """Each fault once, in an order by chance, and again."""
        left = []
        try:
            while not self.is_over.wait(self.random.uniform(*pause)):
                prepare()
                left = left or self.random.sample(faults, len(faults))
                self.inflict(left.pop())
        except BaseException as failure:  # a nemesis that cannot go on must end the run, not only its thread
            self.failure = failure
            self.is_over.set()

    def inflict(self, fault):
        kind, target, seconds = fault.__name__, *self.plan(fault)
        self.history.add("fault", kind=kind, target=getattr(target, "name", target))
        try:
            outcome = fault(self, target, seconds)
        finally:
            self.history.add("healed", kind=kind, target=getattr(target, "name", target))
        if outcome is not None:
            self.history.add("note", kind=kind, text=outcome)

    def plan(self, fault):
        if fault in self.redis_faults:
            return self.fleet.primary, self.random.uniform(2, 12)
        if fault in self.callback_faults:
            return "receiver", self.random.uniform(2, 8)
        # The gateway has no decoders that could need memory.
        targets = self.fleet.workers if fault is Nemesis.out_of_memory else [*self.fleet.workers, self.fleet.gateway]
        return self.random.choice(targets), self.random.uniform(2, 12)

    def wait(self, seconds):
        self.is_over.wait(seconds)

    # Faults of a worker, or of the gateway.

    def kill(self, node, seconds):
        self.fleet.held.add(node.name)
        try:
            node.kill()
            self.wait(seconds / 4)
        finally:
            self.fleet.held.discard(node.name)
            node.start()

    def stop_process(self, node, seconds):
        node.signal(signal.SIGSTOP)
        self.wait(seconds)
        node.signal(signal.SIGCONT)

    def partition(self, node, seconds):
        node.cut_off()
        self.wait(seconds)
        node.join()

    def clock_jump(self, node, seconds):
        jump = self.random.choice((-3600, -30, -5, 5, 30, 3600))
        node.set_clock(jump)
        self.wait(seconds * 2)
        node.set_clock(0)
        return f"{jump:+d} s"

    def slow_disk(self, node, seconds):
        for _ in range(3):
            node.disk.freeze()
            self.wait(seconds / 6)
            node.disk.thaw()
            self.wait(0.2)

    def full_disk(self, node, seconds):
        node.disk.fill()
        self.wait(seconds)
        node.disk.empty()

    def out_of_memory(self, node, seconds):
        """Leaves so little memory that the kernel kills a process of the worker's, a decoder or the worker itself."""
        before, had = node.memory.kills, node.memory.used
        node.memory.set(had + (2 << 20))
        for _ in range(20):
            self.wait(0.5)
            if node.memory.kills > before:
                break
        node.memory.set(1 << 40)
        return f"{node.memory.kills - before} processes killed by the kernel, at {had >> 20} MiB"

    # Faults of Redis. The target is its primary.

    def fail_over(self, primary, seconds):
        """Kills the primary. A supervisor starts it again when the sentinels have promoted a replica."""
        primary.kill()
        try:
            wait_until(lambda: self.fleet.primary not in (None, primary), 60, "no replica was promoted")
        finally:
            primary.follow(self.fleet.primary.address)
            primary.start()

    def stop_redis(self, primary, seconds):
        self.stop_process(primary, seconds)

    def partition_redis(self, primary, seconds):
        """Cuts the primary off, together with a worker, which may go on talking with it."""
        worker = self.random.choice([*self.fleet.workers, self.fleet.gateway])
        primary.cut_off()
        worker.cut_off()
        self.wait(seconds * 1.5)
        primary.join()
        worker.join()
        return f"with {worker.name}"

    def ordered_fail_over(self, primary, seconds):
        self.fleet.sentinels[0].ask("SENTINEL", "FAILOVER", "mymaster")
        self.wait(seconds / 2)

    def kill_replica(self, primary, seconds):
        replica = self.random.choice([node for node in self.fleet.redis if node is not primary])
        replica.kill()
        self.wait(seconds)
        replica.follow(self.fleet.primary.address)
        replica.start()
        return replica.name

    def slow_redis_disk(self, primary, seconds):
        primary.disk.freeze()
        self.wait(seconds / 3)
        primary.disk.thaw()

    # Faults of the server that gets the answers.

    def refused_callbacks(self, _, seconds):
        self.receiver.mode = "refuse"
        self.wait(seconds)
        self.receiver.mode = "accept"

    def hanging_callbacks(self, _, seconds):
        """The post arrives and is recorded, and its sender never hears of it."""
        self.receiver.mode = "hang"
        self.wait(seconds)
        self.receiver.mode = "accept"

    worker_faults = (kill, stop_process, partition, clock_jump, slow_disk, full_disk, out_of_memory)
    redis_faults = (fail_over, stop_redis, partition_redis, ordered_fail_over, kill_replica, slow_redis_disk)
    callback_faults = (refused_callbacks, hanging_callbacks)
