package process

import (
	"errors"
	"os"
	"os/exec"
	"strconv"
	"sync"
	"unsafe"

	"golang.org/x/sys/windows"
)

// Start starts a program and puts it into a job of Windows, to which whatever it starts belongs too. kill
// ends all of the job, and so does the end of this process.
func Start(cmd *exec.Cmd) (kill func(), err error) {
	job, err := windows.CreateJobObject(nil, nil)
	if err != nil {
		return nil, err
	}
	var limits windows.JOBOBJECT_EXTENDED_LIMIT_INFORMATION
	limits.BasicLimitInformation.LimitFlags = windows.JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE
	_, err = windows.SetInformationJobObject(job, windows.JobObjectExtendedLimitInformation, uintptr(unsafe.Pointer(&limits)), uint32(unsafe.Sizeof(limits)))
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		return nil, errors.Join(err, windows.CloseHandle(job))
	}
	var inJob error // it has had no time to start anything yet
	err = cmd.Process.WithHandle(func(handle uintptr) { inJob = windows.AssignProcessToJobObject(job, windows.Handle(handle)) })
	kill = sync.OnceFunc(func() {
		_ = windows.TerminateJobObject(job, 1) // closing it would do the same
		_ = windows.CloseHandle(job)
		if err != nil || inJob != nil { // it had ended, or its job takes no other
			Kill(cmd.Process)
		}
	})
	return kill, nil
}

// Group does nothing: Kill needs no preparation here.
func Group(*exec.Cmd) {}

// Kill ends a program that runs, and what it has started.
func Kill(p *os.Process) {
	_ = exec.Command("taskkill", "/T", "/F", "/PID", strconv.Itoa(p.Pid)).Run() // if it cannot be, the next line ends the program itself
	_ = p.Kill()                                                                // an error says that it has ended
}
