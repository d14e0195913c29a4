package protocol

import "crypto/sha1"

// NativePassword answers a challenge of mysql_native_password. The answer to the empty password is empty.
func NativePassword(password string, challenge []byte) []byte {
	if password == "" {
		return nil
	}
	once := sha1.Sum([]byte(password))
	twice := sha1.Sum(once[:])
	mask := sha1.Sum(append(append([]byte(nil), challenge...), twice[:]...))
	for i := range mask {
		mask[i] ^= once[i]
	}
	return mask[:]
}
