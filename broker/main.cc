#include "broker/cli/command_line.h"
#include "broker/cli/inspect.h"
#include "broker/cli/serve.h"
#include "broker/runtime/standard_streams.h"

int main(int argument_count, char** arguments) {
  braid::broker::prepare_standard_streams();
  const auto command = braid::broker::parse_command_line(argument_count, arguments);
  if (command.serve) return braid::broker::serve(*command.serve);
  if (command.inspect) return braid::broker::inspect(*command.inspect);
  return command.exit_code;
}
