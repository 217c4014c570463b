// An event loop as those of ns-3 and SST are, with a drive of ftlab as one of its components. Sixteen clients ask for what
// load.fio asks for: each goes on when its request has ended.
#include <cinttypes>
#include <cstdio>
#include <ftlab.h>
#include <functional>
#include <map>
#include <memory>
#include <queue>
#include <stdexcept>
#include <vector>

// What a simulator has: events by time, and at one instant in the order in which they were scheduled.
class Simulator {
  public:
    using Action = std::function<void()>;

    void schedule(uint64_t at_ns, Action action) { events.push({at_ns, scheduled++, std::move(action)}); }

    void run() {
        while (!events.empty()) {
            const Event event = events.top();
            events.pop();
            now_ns = event.at_ns;
            event.action();
        }
    }

    uint64_t now_ns = 0;

  private:
    struct Event {
        uint64_t at_ns, number;
        Action action;
        bool operator<(const Event &other) const {
            return at_ns != other.at_ns ? at_ns > other.at_ns : number > other.number;
        }
    };
    std::priority_queue<Event> events;
    uint64_t scheduled = 0;
};

// The drive as a component: it has one event in the simulator's queue, that of its own next one.
class Drive {
  public:
    Drive(Simulator &simulator, const char *name) : simulator(simulator) {
        FtlabBuilder *builder = ftlab_named(name);
        FtlabDevice *made = nullptr;
        ftlab_shrink_to(builder, UINT64_C(3) << 30);
        ftlab_state(builder, "filled");
        const FtlabStatus status = ftlab_build(builder, &made);
        const std::string why = ftlab_builder_error(builder);
        ftlab_builder_free(builder);
        if (status != FTLAB_STATUS_OK)
            throw std::runtime_error(why);
        device.reset(made);
    }

    void submit(const FtlabCommand &command, Simulator::Action ended) {
        if (ftlab_submit(device.get(), &command, simulator.now_ns) != FTLAB_STATUS_OK)
            throw std::runtime_error(ftlab_error(device.get()));
        waiting[command.id] = std::move(ended);
        follow();
    }

    uint64_t hash() const { return ftlab_counters(device.get()).completions_hash; }

  private:
    void follow() {
        const uint64_t next_ns = ftlab_next_event(device.get());
        if (next_ns >= followed_ns)
            return;
        followed_ns = next_ns;
        simulator.schedule(next_ns, [this, next_ns] {
            if (followed_ns == next_ns)
                followed_ns = UINT64_MAX;
            ftlab_advance(device.get(), simulator.now_ns);
            std::vector<FtlabCompletion> ends(waiting.size());
            ends.resize(ftlab_completions(device.get(), ends.data(), ends.size()));
            for (const FtlabCompletion &end : ends) {
                const Simulator::Action ended = std::move(waiting.extract(end.id).mapped());
                ended();
            }
            follow();
        });
    }

    struct Free {
        void operator()(FtlabDevice *device) const { ftlab_free(device); }
    };
    Simulator &simulator;
    std::unique_ptr<FtlabDevice, Free> device;
    std::map<uint64_t, Simulator::Action> waiting;
    uint64_t followed_ns = UINT64_MAX;
};

// The clients: together they write 80 MB in order, wait for each other, and read it again.
class Clients {
  public:
    Clients(Simulator &simulator, Drive &drive) : drive(drive) {
        simulator.schedule(0, [this] { begin(); });
    }

  private:
    static constexpr uint64_t REQUESTS = 20000, BYTES = 4096;

    void begin() {
        for (int client = 0; client < 16; client++)
            ask();
    }

    void ask() {
        FtlabCommand command{};
        command.id = asked;
        command.offset = asked % REQUESTS * BYTES;
        command.bytes = BYTES;
        command.operation = asked < REQUESTS ? FTLAB_OPERATION_WRITE : FTLAB_OPERATION_READ;
        asked++;
        outstanding++;
        drive.submit(command, [this] { ended(); });
    }

    void ended() {
        outstanding--;
        if (asked % REQUESTS != 0)
            ask();
        else if (outstanding == 0 && asked == REQUESTS)
            begin();
    }

    Drive &drive;
    uint64_t asked = 0;
    int outstanding = 0;
};

int main() try {
    Simulator simulator;
    Drive drive(simulator, "samsung-980-pro-1000");
    Clients clients(simulator, drive);
    simulator.run();
    std::printf("%016" PRIx64 "\n", drive.hash());
} catch (const std::exception &why) {
    std::fprintf(stderr, "%s\n", why.what());
    return 1;
}
