export const help = `posthorn <command>

  start    [--role web|jobs|all]         run the service, or a part of it
  setup    --email --password --workspace [--token-name]
                                         make the first owner, a workspace and a token; prints JSON
  demo     [--again]                     make a workspace with a month of posts on the sandbox; not in production
  link     [--email]                     a sign-in link that works once, for the operator or somebody else
  user     list | reset --email | sign-out --email [--all] | delete --email [--yes]
                                         who is here; a link for a new password, which also removes second factors;
                                         end sessions, with --all tokens and clients too; delete a person, whose posts
                                         stay by "A former member"
  doctor   [--fix] [--json]              check settings, database, keys, networks and service; with --fix repair what it can
  doctor   --network <key>|all [--json]  for a network: what to register there, and whether it accepts the credentials
  logs     <request id> [--json]         what LOG_FILE, or a log on standard input, says of one request
  backup   <file or folder> [--with-keys] [--verify]
                                         database and media in one file, also while the service runs; --verify
                                         restores it into a scratch database, or one that exists already
  restore  <file>                        a backup, into an empty database and folder; nothing goes out until you
                                         release it in the app
  token    create --workspace <id> --name <name> | list --workspace <id> | revoke --id <id>
                                         personal tokens of a workspace's owner
  account  add --workspace <id> --network <key> [--handle]
                                         connect an account on the sandbox of a network
  import   --workspace <id> --file <path> [--time-zone <zone>] [--save] [--unmatched] [--duplicates]
                                         check each row of a CSV or JSON file without saving; with --save make drafts
  plan     show --workspace <id> | set --workspace <id> --plan unlimited|free|team|business
                                         what a workspace may do
  keys     generate                      a new value for ENCRYPTION_KEYS; nothing is changed
  keys     rotate                        a new key that signs access tokens of MCP clients; tokens of the old one stay valid
  keys     discard-lost [--yes]          when the encryption key is lost for good: discard the secrets it encrypted
  verify   <receipt.json> [--key <file>] check a receipt offline, with the public key that you stored
  verify   --chain <log.json> | --chain --workspace <id> [--head <receipt.json>] [--key <file>]
                                         check a whole log and name its first broken link; with --head also that its end was not cut
  listen   --workspace <id> --forward <url> [--json]
                                         send the events of a workspace to a program on your machine, signed like webhooks
  jobs                                   recurring jobs with their last run, next run and due work, by the service's clock
  call     <action> [--field value …]    run an action on a server somewhere, with a token; posthorn call --help
  profile  set <name> --url --token | list | remove <name>
                                         servers and tokens for call, in ~/.config/posthorn
  completion bash | zsh | fish           completion for your shell: source <(posthorn completion bash)
  clock    --forward <6h>                move the sandbox clock; not in production
  twins    [--port 4000] [--host-ports] [--host] [--keep 1000]
                                         the sandbox networks alone, from memory, for tests of your own integration

Settings are environment variables; docs/settings.md has the table. A running service has all pages of docs/ at /help.`;

/** Help for one command, or all of it when there is no such command. */
export const helpFor = (command: string): string => {
  const lines = help.match(/^ {2}\S.*(?:\n {3,}\S.*)*/gm)?.filter((entry) => entry.startsWith(`  ${command} `)) ?? [];
  return lines.length === 0 ? help : `posthorn ${command}\n\n${lines.join('\n')}`;
};
