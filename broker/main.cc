#include "broker/cli/command_line.h"
#include "broker/cli/serve.h"
#include "broker/runtime/standard_streams.h"

int main(int argument_count, char** arguments) {
  braid::broker::prepare_standard_streams();
  const auto command = braid::broker::parse_command_line(argument_count, arguments);
  return command.serve ? braid::broker::serve(*command.serve) : command.exit_code;
}
