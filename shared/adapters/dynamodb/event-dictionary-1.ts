/**
 * Text that events share, for deflate to refer to instead of repeating it in every item. Version 1: never change it,
 * since items written with it need it to be read; add a version beside it. What is likeliest stands last, where
 * references are shortest. The order of keys is that of the event (DESIGN.md, section 5).
 */
export const eventDictionary1 = [
  '"sync_type":null,"extra_fields":{},"_arf":{"feedback_type":"abuse"}}}}',
  'policy-related","spam-related","spam-block","content-related","quota-issues","no-answer-from-host",',
  '"message-expired","routing-errors","bad-connection","bad-domain","inactive-mailbox","relaying-issues",',
  '"invalid-sender","protocol-errors","bad-configuration","virus-related","other","bad-mailbox",',
  'mailbox full over quota temporarily deferred greylisted try again later connection timed out refused ',
  'blocked using blacklist spam rejected policy access denied message content not accepted ',
  'unknown or illegal alias undeliverable address no such user here mailbox unavailable does not exist ',
  'smtp; 421 4.4.2 smtp; 450 4.2.0 smtp; 451 4.7.1 smtp; 452 4.2.2 smtp; 550 5.7.1 smtp; 552 5.2.2 ',
  'smtp; 553 5.3.0 smtp; 554 5.7.0 smtp; 550 5.1.1 <>: Recipient address rejected: User unknown ',
  '.co.jp.de.fr.org.net@yahoo.com@hotmail.com@outlook.com@gmail.com@example.com',
  '{"id":"evt_01K","type":"email.complaint","timestamp":"T00:00.000Z","data":{"source":{"id":"main",',
  '"stream":"complaints","record_id":"',
  '"complaint":{"subject":"","return_path":"<>","list_unsubscribe":{"raw":"<mailto:>, <https://>",',
  '"https":["https://"],"mailto":["mailto:"]}},"suggested_action":"suppress","raw":{"uuid":"',
  '","header_list_unsubscribe":"","orig":"","rcpt":"","header_subject":"","header_return_path":"<',
  '"suggested_action":"suppress_temporarily","raw":{"suggested_action":"review","raw":{"suggested_action":"none",',
  '"bounce":{"type":"expired","bounce":{"type":"soft","category":"","smtp_code":null,"enhanced_code":null,',
  '{"id":"evt_01K","type":"email.bounce.soft","type":"email.bounce.expired","type":"email.bounce.other",',
  '{"id":"evt_01K","type":"email.bounce.hard","timestamp":"202-0T00:00:00.000Z",',
  '"data":{"source":{"id":"main","stream":"bounces","record_id":"-4"},',
  '"recipient":{"address":null,"normalized":null,"domain":null},"recipient":{"address":"","normalized":"","domain":".com"},',
  '"sender":{"header_from":null,"address":null,"domain":null,"envelope_from":null},',
  '"sender":{"header_from":"\\"\\" <","address":"","domain":".com","envelope_from":""},',
  '"bounce":{"type":"hard","category":"bad-mailbox","smtp_code":550,"enhanced_code":"5.1.1","diagnostic":"smtp; 550 5.1.1 "},',
  '"suggested_action":"suppress","raw":{"uuid":"","timelogged":17,"bounce_type":"e","bounce_type":"s","bounce_type":"h",',
  '"rcpt":"","orig":"","dsndiag":"smtp; 550 5.1.1 ","bouncecat":"bad-mailbox","header_from":"\\"\\" <@.com>"}}}',
].join('')
