// Every network, without the rest of what is generated: for commands, which load nothing that they do not use.
export { networks } from '#generated/networks';
