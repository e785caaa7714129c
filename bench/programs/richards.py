"""A scheduler of tasks that hand packets to each other: methods, attributes, inheritance."""

from __future__ import annotations

IDLE, WORKER, HANDLER_A, HANDLER_B, DEVICE_A, DEVICE_B = range(6)
DEVICE, WORK = range(2)


class Packet:
    def __init__(self, link: Packet | None, ident: int, kind: int) -> None:
        self.link = link
        self.ident = ident
        self.kind = kind
        self.datum = 0
        self.data = [0] * 4

    def append_to(self, queue: Packet | None) -> Packet:
        self.link = None
        if queue is None:
            return self
        last = queue
        while last.link is not None:
            last = last.link
        last.link = self
        return queue


class Task:
    def __init__(self, scheduler: Scheduler, ident: int, priority: int, queue: Packet | None) -> None:
        self.scheduler = scheduler
        self.ident = ident
        self.priority = priority
        self.queue = queue
        self.held = False
        self.waiting = queue is None
        self.next = scheduler.first
        scheduler.first = self
        scheduler.table[ident] = self

    def take(self) -> Packet | None:
        packet = self.queue
        if packet is not None:
            self.queue = packet.link
        return packet

    def add(self, packet: Packet, current: Task) -> Task:
        if self.queue is None:
            self.queue = packet.append_to(None)
            self.waiting = False
            if self.priority > current.priority:
                return self
        else:
            packet.append_to(self.queue)
        return current

    def step(self) -> Task | None:
        packet = self.take()
        self.scheduler.steps += 1
        return self.run(packet)

    def wait(self) -> Task:
        self.waiting = self.queue is None
        return self

    def run(self, packet: Packet | None) -> Task | None:
        raise NotImplementedError


class Idle(Task):
    seed = 1
    left = 6000

    def run(self, packet: Packet | None) -> Task | None:  # noqa: ARG002 - others take it
        self.left -= 1
        if self.left == 0:
            return self.scheduler.hold(self)
        self.waiting = False
        if self.seed & 1 == 0:
            self.seed //= 2
            return self.scheduler.release(DEVICE_A, self)
        self.seed = self.seed // 2 ^ 0xD008
        return self.scheduler.release(DEVICE_B, self)


class Worker(Task):
    target = HANDLER_A
    count = 0

    def run(self, packet: Packet | None) -> Task | None:
        if packet is None:
            return self.wait()
        self.target = HANDLER_B if self.target == HANDLER_A else HANDLER_A
        packet.ident = self.target
        packet.datum = 0
        for place in range(4):
            self.count += 1
            if self.count > 26:
                self.count = 1
            packet.data[place] = 64 + self.count
        return self.scheduler.send(packet, self)


class Handler(Task):
    work: Packet | None = None
    devices: Packet | None = None

    def run(self, packet: Packet | None) -> Task | None:
        if packet is not None:
            if packet.kind == WORK:
                self.work = packet.append_to(self.work)
            else:
                self.devices = packet.append_to(self.devices)
        work = self.work
        if work is None:
            return self.wait()
        if work.datum >= 4:
            self.work = work.link
            return self.scheduler.send(work, self)
        device = self.devices
        if device is None:
            return self.wait()
        self.devices = device.link
        device.datum = work.data[work.datum]
        work.datum += 1
        return self.scheduler.send(device, self)


class Device(Task):
    pending: Packet | None = None

    def run(self, packet: Packet | None) -> Task | None:
        if packet is None:
            done = self.pending
            if done is None:
                return self.wait()
            self.pending = None
            return self.scheduler.send(done, self)
        self.pending = packet
        return self.scheduler.hold(self)


class Scheduler:
    def __init__(self) -> None:
        self.first: Task | None = None
        self.table: dict[int, Task] = {}
        self.steps = self.sent = self.holds = 0

    def hold(self, task: Task) -> Task | None:
        self.holds += 1
        task.held = True
        return task.next

    def release(self, ident: int, current: Task) -> Task:
        task = self.table[ident]
        task.held = False
        task.waiting = False
        return task if task.priority > current.priority else current

    def send(self, packet: Packet, current: Task) -> Task:
        self.sent += 1
        task = self.table[packet.ident]
        packet.ident = current.ident
        current.waiting = current.queue is None
        return task.add(packet, current)

    def run(self) -> None:
        task = self.first
        while task is not None:
            task = task.next if task.held or (task.waiting and task.queue is None) else task.step()


def packets(ident: int, kind: int, number: int) -> Packet | None:
    queue = None
    for _ in range(number):
        queue = Packet(queue, ident, kind)
    return queue


def main() -> object:
    scheduler = Scheduler()
    Idle(scheduler, IDLE, 0, None).waiting = False
    Worker(scheduler, WORKER, 1000, packets(WORKER, WORK, 2))
    Handler(scheduler, HANDLER_A, 2000, packets(DEVICE_A, DEVICE, 3))
    Handler(scheduler, HANDLER_B, 3000, packets(DEVICE_B, DEVICE, 3))
    Device(scheduler, DEVICE_A, 4000, None)
    Device(scheduler, DEVICE_B, 5000, None)
    scheduler.run()
    return [scheduler.steps, scheduler.sent, scheduler.holds]
