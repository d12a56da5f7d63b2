import ipaddr from 'ipaddr.js';

const globalUnicast = ipaddr.IPv6.parseCIDR('2000::/3');

/** In public address space, but Azure serves its VM metadata agent there. */
const alsoPrivate = ['168.63.129.16'];

/** Whether anybody on the internet could reach the address. No other address is dialled. */
export const isPublicIp = (text: string): boolean => {
  if (!ipaddr.isValid(text)) return false;
  const address = ipaddr.process(text);
  if (address.range() !== 'unicast' || alsoPrivate.includes(address.toString())) return false;
  // Outside 2000::/3 nothing is assigned, but deprecated notations of IPv4 addresses live there.
  return address instanceof ipaddr.IPv4 || address.match(globalUnicast);
};
