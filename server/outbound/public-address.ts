import ipaddr from 'ipaddr.js';

const globalUnicast = ipaddr.IPv6.parseCIDR('2000::/3');

/** Public by every list, and yet the agent of Azure's machines. */
const alsoPrivate = ['168.63.129.16'];

/** An address that anybody on the internet could reach: only such ones are dialled. */
export const isPublicIp = (text: string): boolean => {
  if (!ipaddr.isValid(text)) return false;
  const address = ipaddr.process(text);
  if (address.range() !== 'unicast' || alsoPrivate.includes(address.toString())) return false;
  // Outside 2000::/3 nothing is assigned, but there are old ways to write an IPv4 address.
  return address instanceof ipaddr.IPv4 || address.match(globalUnicast);
};
