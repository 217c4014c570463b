// The load of load.c in C++, as a simulator with an event queue of its own has it.
#include <cinttypes>
#include <cstdio>
#include <ftlab.h>
#include <memory>
#include <stdexcept>

struct Free {
    void operator()(FtlabDevice *drive) const { ftlab_free(drive); }
    void operator()(FtlabBuilder *builder) const { ftlab_builder_free(builder); }
};

class Load {
  public:
    explicit Load(const char *name) {
        std::unique_ptr<FtlabBuilder, Free> builder(ftlab_named(name));
        FtlabDevice *made = nullptr;
        ftlab_shrink_to(builder.get(), UINT64_C(3) << 30);
        ftlab_state(builder.get(), "filled");
        if (ftlab_build(builder.get(), &made) != FTLAB_STATUS_OK)
            throw std::runtime_error(ftlab_builder_error(builder.get()));
        drive.reset(made);
    }

    void run() {
        for (uint64_t id = 0; id < 40000; id++) {
            while (id == 20000 && outstanding > 0)
                step();
            FtlabCommand command{};
            command.id = id;
            command.offset = id % 20000 * 4096;
            command.bytes = 4096;
            command.operation = id < 20000 ? FTLAB_OPERATION_WRITE : FTLAB_OPERATION_READ;
            if (ftlab_submit(drive.get(), &command, now_ns) != FTLAB_STATUS_OK)
                throw std::runtime_error(ftlab_error(drive.get()));
            outstanding++;
            while (outstanding >= 16)
                step();
        }
        while (outstanding > 0)
            step();
        std::printf("%016" PRIx64 "\n", ftlab_counters(drive.get()).completions_hash);
    }

  private:
    // The next event of the drive; a simulator would take it from its queue.
    void step() {
        ftlab_advance_to_completion(drive.get(), UINT64_MAX);
        FtlabCompletion ended;
        while (ftlab_completions(drive.get(), &ended, 1) == 1) {
            now_ns = ended.at_ns;
            outstanding--;
        }
    }

    std::unique_ptr<FtlabDevice, Free> drive;
    uint64_t now_ns = 0;
    int outstanding = 0;
};

int main() try {
    Load("samsung-980-pro-1000").run();
} catch (const std::exception &why) {
    std::fprintf(stderr, "%s\n", why.what());
    return 1;
}
